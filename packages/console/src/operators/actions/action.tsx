import type { JsonObject } from "@bufbuild/protobuf";
import { type CallCommand, changes, serviceOf } from "@disburse/commands/table/command.ts";
import { InputError } from "@disburse/commands/table/input-error.ts";
import { messageOf } from "@disburse/commands/table/request.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { needsApproval, Problem } from "../../api/problem.ts";
import type { ApprovalPlace } from "../../api/rpc.ts";
import { t } from "../../catalogue/en.ts";
import { useSession } from "../../session/use-session.ts";
import { Awaited } from "../../ui/awaited.tsx";
import { Modal } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { StepNotice } from "../../ui/step-up.tsx";
import { useAttempt } from "../../ui/use-attempt.ts";
import { Changes } from "../changes.tsx";
import { merchantsQuery } from "../merchants.ts";
import { ProposalNotice } from "../open-proposal.tsx";
import { actionsOf, callMethod, useCurrent } from "./call.ts";
import { ActionFields } from "./form.tsx";
import { Answer, isList, Rows } from "./result.tsx";
import {
  changesIn,
  fieldsOf,
  requestIn,
  sentence,
  slugOf,
  type Values,
  valuesOf,
} from "./rules/form.ts";

const words = t.operators;
const route = getRouteApi("/shell/actions/$action");

export function ActionPage() {
  const { action } = route.useParams();
  const search = route.useSearch();
  const command = actionsOf(useSession()).find((each) => slugOf(each) === action);
  if (command === undefined) return <p>{t.problems.notFoundHint}</p>;
  return <Action key={`${action} ${JSON.stringify(search)}`} {...{ command, search }} />;
}

/** The form of an action, and its result. A read whose values the address names runs at once. */
function Action({ command, search }: { command: CallCommand; search: Values }) {
  const { summary, details, show } = command;
  const isChange = changes(command);
  const [typed, setTyped] = useState<Values>({});
  const [problem, setProblem] = useState<InputError>();
  const [asked, setAsked] = useState<JsonObject | undefined>(() =>
    isChange ? undefined : readyRequest(command, search),
  );
  const [isOpen, setOpen] = useState(false);
  const named = { ...search, ...typed };
  const { current, isLoading } = useCurrent(command, named);
  const before = current === undefined ? {} : valuesOf(command, current);
  const values = { ...before, ...named };
  const client = useQueryClient();
  const merchants = useQuery({ ...merchantsQuery, enabled: namesMerchant(command) });
  const nameOf = (id: string) => merchants.data?.items.find((each) => each.id === id)?.name;
  const doing = useAttempt({
    send: (request: JsonObject, operation_id) =>
      callMethod(command.method, { ...request, mutation: { operation_id } }),
    onSuccess: async () => {
      setOpen(false);
      // The next change of the same record begins with its new values.
      setTyped(command.current === undefined ? {} : keyOf(command, values));
      await client.invalidateQueries();
    },
  });
  const assertRegistered = () => {
    const { registered } = command;
    const field = fieldsOf(command).find(({ path }) => path === registered);
    const isKnown = nameOf(values[field?.key ?? ""] ?? "") !== undefined;
    if (field !== undefined && merchants.data?.isCut === false && !isKnown) {
      throw new InputError(words.notRegistered, { label: field.label });
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      const request = checkedRequest(command, values);
      assertRegistered();
      setProblem(undefined);
      doing.reset();
      setAsked(request);
      setOpen(isChange);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      setProblem(error);
    }
  };
  const onChange = (change: Values) => setTyped({ ...typed, ...change });
  const problems = problem === undefined ? {} : { [problem.label]: problem.problem };
  return (
    <Page title={sentence(summary)} lead={<Link to="/actions">{words.title}</Link>}>
      {doing.isSuccess && !isOpen ? (
        <>
          <Notice tone="good">{words.done}</Notice>
          <Answer answer={doing.data} of={"record" in show ? show.record : ""} />
        </>
      ) : null}
      <form className="form card" onSubmit={submit} noValidate>
        {details === undefined ? null : <p className="soft">{details.replaceAll("\n", " ")}</p>}
        <ActionFields {...{ command, values, problems, onChange }} />
        {problem?.label === "" ? <Notice tone="bad">{problem.problem}</Notice> : null}
        <div>
          <button type="submit" className="button" data-kind="primary" disabled={isLoading}>
            {isChange ? words.review : words.show}
          </button>
        </div>
      </form>
      {isChange || asked === undefined ? null : <Found {...{ command, values }} request={asked} />}
      <Modal title={sentence(summary)} text={words.changes} isOpen={isOpen} onOpenChange={setOpen}>
        <Changes
          changes={changesIn(command, before, values)}
          isCompared={current !== undefined}
          nameOf={nameOf}
        />
        {doing.isError ? <Outcome error={doing.error} command={command} /> : null}
        <div className="row">
          <button
            type="button"
            className="button"
            data-kind="primary"
            disabled={doing.isPending || asked === undefined}
            onClick={() => asked && doing.mutate(asked)}
          >
            {doing.isPending ? t.states.working : words.confirm}
          </button>
          <button type="button" className="button" onClick={() => setOpen(false)}>
            {t.actions.cancel}
          </button>
        </div>
      </Modal>
    </Page>
  );
}

const namesMerchant = (command: CallCommand) =>
  fieldsOf(command).some(({ source }) => source?.list === "merchants list");

/** Returns the values that name the record. */
function keyOf({ arguments: positional = [] }: CallCommand, values: Values): Values {
  return Object.fromEntries(positional.map(({ name }) => [name, values[name]]));
}

function checkedRequest(command: CallCommand, values: Values): JsonObject {
  const request = requestIn(command, values);
  messageOf(command.method, request);
  return request;
}

/** Returns the request of a read if the address has all of its required values. */
function readyRequest(command: CallCommand, search: Values): JsonObject | undefined {
  try {
    return checkedRequest(command, search);
  } catch {
    return undefined;
  }
}

/** A refusal, or the proposal that another person has to approve. */
function Outcome({ error, command }: { error: unknown; command: CallCommand }) {
  if (error instanceof Problem && error.code === needsApproval) {
    const place = serviceOf(command) as ApprovalPlace;
    return <ProposalNotice place={place} proposalId={error.message} />;
  }
  return <StepNotice error={error} />;
}

function Found(props: { command: CallCommand; request: JsonObject; values: Values }) {
  const { command, request } = props;
  return isList(command) ? (
    <Rows {...props} command={command} />
  ) : (
    <OneRecord {...{ command, request }} />
  );
}

function OneRecord({ command, request }: { command: CallCommand; request: JsonObject }) {
  const { name, method, show } = command;
  const found = useQuery({
    queryKey: ["actions", "record", name, request],
    queryFn: () => callMethod(method, request),
  });
  if (found.data === undefined) return <Awaited found={found} />;
  return <Answer answer={found.data} of={"record" in show ? show.record : ""} />;
}
