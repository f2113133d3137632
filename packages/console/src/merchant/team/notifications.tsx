import { queryOptions, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { useSingle } from "../../ui/use-attempt.ts";

const words = t.team.notifications;

type Kind = keyof typeof words.kinds;
type Preferences = {
  readonly available: boolean;
  readonly paused: boolean;
  readonly kinds: readonly { readonly kind: Kind; readonly enabled: boolean }[];
};

const path = "/console/session/notifications";
const preferencesQuery = queryOptions({
  queryKey: [path],
  queryFn: () => get<Preferences>(path),
});

/** The e-mails that the person gets as a member of this team. */
export function Notifications() {
  const { person } = useSession();
  const { data } = useSuspenseQuery(preferencesQuery);
  return (
    <Page title={words.title} lead={words.lead({ email: person.email })}>
      <Choice preferences={data} />
    </Page>
  );
}

function Choice({ preferences: { available, paused, kinds } }: { preferences: Preferences }) {
  const client = useQueryClient();
  const [changed, setChanged] = useState<Partial<Record<Kind, boolean>>>({});
  const isOn = ({ kind, enabled }: Preferences["kinds"][number]) => changed[kind] ?? enabled;
  const saving = useSingle({
    mutationFn: () => {
      const off = kinds.filter((each) => !isOn(each)).map(({ kind }) => kind);
      return send<Preferences>("POST", path, { body: { off } });
    },
    onSuccess: (saved) => {
      client.setQueryData(preferencesQuery.queryKey, saved);
      setChanged({});
    },
  });
  return (
    <form
      className="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      {available ? null : <Notice tone="info">{words.unavailable}</Notice>}
      {paused ? <Notice tone="warn">{words.paused}</Notice> : null}
      <fieldset>
        <legend>{words.legend}</legend>
        <div className="stack">
          {kinds.map((each) => (
            <label key={each.kind}>
              <input
                type="checkbox"
                checked={isOn(each)}
                onChange={() => setChanged({ ...changed, [each.kind]: !isOn(each) })}
              />{" "}
              {words.kinds[each.kind]}
            </label>
          ))}
        </div>
      </fieldset>
      {saving.isError ? <ProblemNotice error={saving.error} noAnswer={words.noAnswer} /> : null}
      {saving.isSuccess ? <Notice tone="good">{words.saved}</Notice> : null}
      <div className="row">
        <Button type="submit" kind="primary" disabled={saving.isPending}>
          {saving.isPending ? t.states.working : words.save}
        </Button>
      </div>
    </form>
  );
}
