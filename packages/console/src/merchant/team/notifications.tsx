import { queryOptions, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { get, send } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
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
  const client = useQueryClient();
  const { available, paused, kinds } = useSuspenseQuery(preferencesQuery).data;
  const [changed, setChanged] = useState<Partial<Record<Kind, boolean>>>({});
  const wanted = kinds.map(({ kind, enabled }) => ({ kind, enabled: changed[kind] ?? enabled }));
  const saving = useSingle({
    mutationFn: async () => {
      const off = wanted.filter(({ enabled }) => !enabled).map(({ kind }) => kind);
      const saved = await send<Preferences>("POST", path, { body: { off } });
      client.setQueryData(preferencesQuery.queryKey, saved);
      setChanged({});
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <Page lead={words.lead({ email: person.email })}>
      <UnsavedGuard isChanged={wanted.some(({ enabled }, at) => enabled !== kinds[at]?.enabled)} />
      <form className="card stack" onSubmit={submit}>
        {available ? null : <Notice tone="info">{words.unavailable}</Notice>}
        {paused ? <Notice tone="warn">{words.paused}</Notice> : null}
        <fieldset>
          <legend>{words.legend}</legend>
          <div className="stack">
            {wanted.map(({ kind, enabled }) => (
              <label key={kind}>
                <input
                  type="checkbox"
                  checked={enabled}
                  onChange={() => setChanged({ ...changed, [kind]: !enabled })}
                />{" "}
                {words.kinds[kind]}
              </label>
            ))}
          </div>
        </fieldset>
        {saving.isError ? <ProblemNotice error={saving.error} noAnswer={words.noAnswer} /> : null}
        {saving.isSuccess ? <Notice tone="good">{t.forms.saved}</Notice> : null}
        <div className="row">
          <Button type="submit" kind="primary" disabled={saving.isPending}>
            {saving.isPending ? t.states.working : words.save}
          </Button>
        </div>
      </form>
    </Page>
  );
}
