import type { JsonObject } from "@bufbuild/protobuf";
import { type CallCommand, changes, serviceOf } from "@disburse/commands/table/command.ts";
import { InputError } from "@disburse/commands/table/input-error.ts";
import { messageOf } from "@disburse/commands/table/request.ts";
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, lazy, Suspense, useState } from "react";
import { onceOnly } from "../../api/pages.ts";
import { needsApproval, Problem } from "../../api/problem.ts";
import type { ApprovalPlace } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/dialog.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { StepNotice } from "../../ui/problem-notice.tsx";
import { UnsavedGuard } from "../../ui/unsaved-guard.tsx";
import { useAttempt } from "../../ui/use-attempt.ts";
import { Changes } from "../changes.tsx";
import { merchantsQuery } from "../merchants.ts";
import { ProposalNotice } from "../open-proposal.tsx";
import { actionsOf, assertRegistered, callMethod, currentQuery, uploadsOf } from "./call.ts";
import { ActionFields } from "./form.tsx";
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
  const upload = uploadsOf(session).find((each) => slugOf(each) === action);
  if (upload !== undefined) {
    return (
      <Suspense fallback={null}>
        <Upload command={upload} search={search} />
      </Suspense>
    );
  }
  const command = actionsOf(session).find((each) => slugOf(each) === action);
  if (command === undefined) return <p>{t.problems.notFoundHint}</p>;
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

/** The form of an action, and its result. */
function Action(props: { command: CallCommand; search: Values }) {
  const { command } = props;
  const { summary, details, show } = command;
  const isChange = changes(command);
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy) review.mutate();
  };
  const { error } = review;
  const problem = error instanceof InputError ? error : undefined;
  const onChange = (change: Values) => setTyped((before) => ({ ...before, ...change }));
  const problems = problem === undefined ? {} : { [problem.label]: problem.problem };
  const isDone = doing.isSuccess && !isOpen;
  const isTyped = changesIn(command, { ...known, ...search }, values).length > 0;
  const isSent = doing.isError && isProposed(doing.error);
  const isBusy = review.isPending || doing.isPending || (query !== undefined && current.isLoading);
  return (
    <Page title={sentence(summary)} lead={<Link to="/actions">{t.shell.pages.actions}</Link>}>
      {isDone ? (
        <>
          <Notice tone="good">{words.done}</Notice>
          <Answer answer={doing.data} of={"record" in show ? show.record : ""} />
        </>
      ) : null}
      {isDone && command.current === undefined ? (
        <div>
          <Button onClick={() => doing.reset()}>{words.again}</Button>
        </div>
      ) : (
        <form className="form card" onSubmit={submit} noValidate>
          {details === undefined ? null : <p className="soft">{details.replaceAll("\n", " ")}</p>}
          <ActionFields {...{ command, values, problems, onChange }} />
          {problem?.label === "" ? <Notice tone="bad">{problem.problem}</Notice> : null}
          {error !== null && problem === undefined ? <StepNotice error={error} /> : null}
          <div>
            <Button type="submit" kind="primary" disabled={isBusy}>
              {isChange ? words.review : words.show}
            </Button>
          </div>
        </form>
      )}
      {isChange || asked === undefined ? null : <Found command={command} {...asked} />}
      <UnsavedGuard isChanged={isChange && isTyped && !isSent} />
      <Modal title={sentence(summary)} text={words.changes} isOpen={isOpen} onOpenChange={setOpen}>
        {asked === undefined ? null : <Review command={command} {...asked} />}
        {doing.isError ? <Outcome error={doing.error} command={command} /> : null}
        <div className="row">
          {isSent ? null : (
            <Button
              kind="primary"
              disabled={doing.isPending || asked === undefined}
              onClick={() => asked && doing.mutate(asked.request)}
            >
              {doing.isPending ? t.states.working : words.confirm}
            </Button>
          )}
          <Button onClick={() => setOpen(false)}>
            {isSent ? t.actions.close : t.actions.cancel}
          </Button>
        </div>
      </Modal>
    </Page>
  );
}

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
function Review({ command, before, values, isCompared }: { command: CallCommand } & Asked) {
  const { data } = useQuery({ ...merchantsQuery, enabled: namesMerchant(command) });
  const nameOf = (id: string) => data?.items.find((each) => each.id === id)?.name;
  const keys = command.current === undefined ? [] : fieldsOf(command).filter(({ isKey }) => isKey);
  const rows = keys.map(({ key, title }) => {
    const text = values[key] ?? "";
    const name = nameOf(text);
    return [title, name ? `${name} (${text})` : text] as const;
  });
  return (
    <>
      <Facts rows={rows} />
      <Changes {...{ isCompared, nameOf }} changes={changesIn(command, before, values)} />
    </>
  );
}

const namesMerchant = (command: CallCommand) =>
  fieldsOf(command).some(({ source }) => source?.list === "merchants list");

const isProposed = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === needsApproval;

/** A refusal, or the proposal that another person has to approve. */
function Outcome({ error, command }: { error: unknown; command: CallCommand }) {
  if (!isProposed(error)) return <StepNotice error={error} />;
  return <ProposalNotice place={serviceOf(command) as ApprovalPlace} proposalId={error.message} />;
}

function Found({ command, ...asked }: { command: CallCommand } & Asked) {
  if (isList(command)) return <Rows command={command} {...asked} />;
  return <OneRecord command={command} {...asked} />;
}

function OneRecord({ command, request, at }: { command: CallCommand } & Asked) {
  const { name, method, show } = command;
  const found = useSuspenseQuery({
    queryKey: ["actions", "record", name, request, at],
    queryFn: () => callMethod(method, request),
    ...onceOnly,
  });
  return <Answer answer={found.data} of={"record" in show ? show.record : ""} />;
}
