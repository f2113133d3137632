import type { JsonObject } from "@bufbuild/protobuf";
import { type CallCommand, changes, serviceOf } from "@disburse/commands/table/command.ts";
import { messageOf } from "@disburse/commands/table/request.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, useState } from "react";
import { onceOnly } from "../../api/pages.ts";
import { needsApproval, Problem } from "../../api/problem.ts";
import type { ApprovalPlace } from "../../api/rpc.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { useSession } from "../../session/use-session.ts";
import { NotFound } from "../../shell/failures.tsx";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/dialog.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { Part } from "../../ui/part.tsx";
import { StepNotice } from "../../ui/problem-notice.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { useAttempt } from "../../ui/use-attempt.ts";
import { Changes } from "../changes.tsx";
import { merchantsQuery } from "../merchants.tsx";
import { ProposalNotice } from "../open-proposal.tsx";
import { actionsOf, assertRegistered, callMethod, currentQuery, uploadsOf } from "./call.ts";
import { ActionForm } from "./form.tsx";
import { Answer, isList, Rows } from "./result.tsx";
import {
  changesIn,
  fieldsOf,
  reviewedRequest,
  sentence,
  slugOf,
  type Values,
  valuesFrom,
  valuesOf,
} from "./rules/form.ts";

const words = operatorTexts.operators;
const Upload = lazy(async () => ({ default: (await import("./upload.tsx")).Upload }));
const route = getRouteApi("/shell/actions/$action");

export function ActionPage() {
  const { action } = route.useParams();
  const search = route.useSearch();
  const session = useSession();
  const isNamed = (each: Parameters<typeof slugOf>[0]) => slugOf(each) === action;
  const upload = uploadsOf(session).find(isNamed);
  if (upload !== undefined) return <Upload command={upload} search={search} />;
  const command = actionsOf(session).find(isNamed);
  if (command === undefined) return <NotFound />;
  return <Action key={`${action} ${JSON.stringify(search)}`} {...{ command, search }} />;
}

/** A reviewed request. It does not change when the page reads records again. */
type Asked = {
  readonly request: JsonObject;
  readonly values: Values;
  readonly before: Values;
  /** True if the record as it is now is known. */
  readonly isCompared: boolean;
  /** When the person asked. Asking again reads again. */
  readonly at: number;
};

type OfAction = { readonly command: CallCommand };

/** The form of an action, and its result. */
function Action(props: OfAction & { search: Values }) {
  const { command } = props;
  const isChange = changes(command);
  const title = sentence(command.summary);
  const session = useSession();
  const client = useQueryClient();
  const search = valuesFrom(command, props.search);
  const [typed, setTyped] = useState<Values>({});
  const [asked, setAsked] = useState(() => askedAtOnce(command, search));
  const [isOpen, setOpen] = useState(false);
  const named = { ...search, ...typed };
  const query = currentQuery(command, named, session);
  const current = useQuery({ ...(query ?? { queryKey: ["actions", "none"] }), enabled: !!query });
  const known = query && current.data ? valuesOf(command, current.data) : {};
  const values = { ...known, ...named };
  const doing = useAttempt({
    send: (request: JsonObject, operation_id) =>
      callMethod(command.method, { ...request, mutation: { operation_id } }),
    onSuccess: async () => {
      setOpen(false);
      // The next change of the same record begins with its new values.
      setTyped(command.current === undefined ? {} : keysOf(command, values));
    },
  });
  const review = useMutation({
    mutationFn: async () => {
      const record = query === undefined ? undefined : await client.fetchQuery(query);
      const before = record ? valuesOf(command, record) : {};
      const now = { ...before, ...named };
      const request = reviewedRequest(command, before, now);
      messageOf(command.method, request);
      await assertRegistered(command, request);
      setAsked({ request, before, values: now, isCompared: query !== undefined, at: Date.now() });
      doing.reset();
      setOpen(isChange);
    },
  });
  const isDone = doing.isSuccess && !isOpen;
  const isTyped = changesIn(command, { ...known, ...search }, values).length > 0;
  const isSent = isProposed(doing.error);
  const isBusy = review.isPending || doing.isPending || (query !== undefined && current.isLoading);
  return (
    <Page title={title} lead={<Link to="/actions">{t.shell.pages.actions}</Link>}>
      {isDone ? (
        <>
          <Notice tone="good">{words.done}</Notice>
          <Answer command={command} answer={doing.data} />
        </>
      ) : null}
      {isDone && command.current === undefined ? (
        <div>
          <Button onClick={() => doing.reset()}>{words.again}</Button>
        </div>
      ) : (
        <ActionForm
          {...{ command, values, error: review.error }}
          onChange={(change) => setTyped((before) => ({ ...before, ...change }))}
          onSubmit={() => isBusy || review.mutate()}
          buttons={
            <Button type="submit" kind="primary" disabled={isBusy}>
              {isChange ? words.review : words.show}
            </Button>
          }
        />
      )}
      {isChange || asked === undefined ? null : (
        <Part id={String(asked.at)}>
          {isList(command) ? (
            <Rows {...{ command }} {...asked} />
          ) : (
            <OneRecord {...{ command }} {...asked} />
          )}
        </Part>
      )}
      <UnsavedGuard isChanged={isChange && isTyped && !isSent} />
      <ReviewDialog {...{ command, asked, doing, isOpen, setOpen }} />
    </Page>
  );
}

type Doing = ReturnType<typeof useAttempt<JsonObject, JsonObject>>;

/** Shows what changes. After the confirmation, a refusal or the proposal for another person. */
function ReviewDialog(
  props: OfAction & {
    asked: Asked | undefined;
    doing: Doing;
    isOpen: boolean;
    setOpen: (isOpen: boolean) => void;
  },
) {
  const { command, asked, doing, isOpen, setOpen } = props;
  const { error, isPending } = doing;
  const place = serviceOf(command) as ApprovalPlace;
  return (
    <Modal
      title={sentence(command.summary)}
      text={words.changes}
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      {asked === undefined ? null : <Review command={command} {...asked} />}
      {isProposed(error) ? (
        <>
          <ProposalNotice place={place} proposalId={error.message} />
          <div className="row">
            <Button onClick={() => setOpen(false)}>{t.actions.close}</Button>
          </div>
        </>
      ) : (
        <>
          {error === null ? null : <StepNotice error={error} />}
          <div className="row">
            <Button
              kind="primary"
              disabled={isPending || asked === undefined}
              onClick={() => asked && doing.mutate(asked.request)}
            >
              {isPending ? t.states.working : words.confirm}
            </Button>
            <Button onClick={() => setOpen(false)}>{t.actions.cancel}</Button>
          </div>
        </>
      )}
    </Modal>
  );
}

const isProposed = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === needsApproval;

/** Returns the values that name the record. */
function keysOf({ arguments: positional = [] }: CallCommand, values: Values): Values {
  return Object.fromEntries(positional.map(({ name }) => [name, values[name]]));
}

/**
 * Returns the request of a list if the address has all of its required values. A single record is
 * read only when a person asks for it, because the audit trail may name its readers.
 */
function askedAtOnce(command: CallCommand, values: Values): Asked | undefined {
  if (changes(command) || !isList(command)) return undefined;
  try {
    const request = reviewedRequest(command, {}, values);
    return { request, values, before: {}, isCompared: false, at: Date.now() };
  } catch {
    return undefined;
  }
}

/** Names the record that is changed, and what changes. */
function Review({ command, before, values, isCompared }: OfAction & Asked) {
  const fields = fieldsOf(command);
  const namesMerchant = fields.some(({ source }) => source?.list === "merchants list");
  const { data: names } = useQuery({ ...merchantsQuery, enabled: namesMerchant });
  const keys = command.current === undefined ? [] : fields.filter(({ isKey }) => isKey);
  const rows = keys.map(({ key, title }) => {
    const text = values[key] ?? "";
    const name = names?.get(text);
    return [title, name ? `${name} (${text})` : text] as const;
  });
  return (
    <>
      <Facts rows={rows} />
      <Changes {...{ isCompared, names }} changes={changesIn(command, before, values)} />
    </>
  );
}

function OneRecord({ command, request, at }: OfAction & Asked) {
  const { name, method } = command;
  const read = () => callMethod(method, request);
  const answer = useAnswer(["actions", "record", name, request, at], read, onceOnly);
  return <Answer command={command} answer={answer} />;
}
