import { HealthCheckResponse_ServingStatus } from "@disburse/contracts/health/v1/health_pb.ts";
import { useQuery } from "@tanstack/react-query";
import { Problem } from "../../api/problem.ts";
import { answerOf, healthAt, type Place, places } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { RailStates, SourceStates } from "./dependencies.tsx";

const words = operatorTexts.platform.health;

type State = "serving" | "not_serving" | "unreachable";

/** The health of a service, as reported by one of its processes. */
type Found = {
  readonly place: Place;
  readonly state: State;
  /** Empty if no process reported its version. */
  readonly version: string;
  readonly problem: string;
};

const tones: Readonly<Record<State, Tone>> = {
  serving: "good",
  not_serving: "warn",
  unreachable: "bad",
};

const columns: readonly Column<Found>[] = [
  { id: "service", header: words.service, cell: ({ place }) => place },
  {
    id: "state",
    header: words.state,
    cell: ({ state }) => <Badge tone={tones[state]}>{words.states[state]}</Badge>,
  },
  { id: "version", header: words.version, cell: ({ version }) => version || "–" },
  {
    id: "problem",
    header: words.problem,
    cell: ({ problem }) => <span className="break">{problem || "–"}</span>,
  },
];

export function HealthPage() {
  const session = useSession();
  const found = useQuery({
    queryKey: ["health", "services"],
    queryFn: () => Promise.all(places.map(ask)),
  });
  return (
    <Page title={words.title}>
      <Section title={words.services}>
        <p className="soft">{words.servicesText}</p>
        {found.isPending ? <p role="status">{t.states.loading}</p> : null}
        {found.isError ? <ProblemNotice error={found.error} /> : null}
        {found.data === undefined ? null : <Services services={found.data} />}
      </Section>
      {hasRole(session, "treasury", "treasury_approver", "support", "auditor") ? (
        <RailStates />
      ) : null}
      {hasRole(session, "compliance_officer", "compliance_approver", "auditor") ? (
        <SourceStates />
      ) : null}
    </Page>
  );
}

function Services({ services }: { services: readonly Found[] }) {
  const down = services.filter(({ state }) => state !== "serving");
  const versions = new Set(services.flatMap(({ version }) => version || []));
  return (
    <>
      {down.length === 0 ? (
        <Notice tone="good">{words.allServe}</Notice>
      ) : (
        <Notice tone="bad">
          {words.notServing({ services: down.map(({ place }) => place).join(", ") })}
        </Notice>
      )}
      {versions.size > 1 ? <Notice tone="warn">{words.versions}</Notice> : null}
      <DataTable
        caption={words.services}
        columns={columns}
        rows={services}
        keyOf={({ place }) => place}
      />
    </>
  );
}

/**
 * Reads the health of a service. An unavailable service is a result, but an expired session is an
 * error.
 */
async function ask(place: Place): Promise<Found> {
  let version = "";
  const onHeader = (header: Headers) => {
    version = header.get("disburse-version") ?? "";
  };
  try {
    const { status } = await answerOf(healthAt(place).check({}, { onHeader }));
    const isServing = status === HealthCheckResponse_ServingStatus.SERVING;
    return { place, state: isServing ? "serving" : "not_serving", version, problem: "" };
  } catch (error) {
    if (!(error instanceof Problem) || error.status === 401) throw error;
    const problem = error.message || t.problems.noAnswerRead;
    return { place, state: "unreachable", version, problem };
  }
}
