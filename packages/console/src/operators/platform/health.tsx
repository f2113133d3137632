import { HealthCheckResponse_ServingStatus } from "@disburse/contracts/health/v1/health_pb.ts";
import { wholeSource } from "../../api/pages.ts";
import { Problem } from "../../api/problem.ts";
import { answerOf, healthAt, type Place, places } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { ForRoles } from "../../session/may.tsx";
import { compliance, support } from "../../shell/pages.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { longColumn, textColumn } from "../../ui/columns.tsx";
import { ListSection } from "../../ui/list.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { listSources } from "../compliance/list-sources.tsx";
import { rails } from "../treasury/rail-list.tsx";

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
  textColumn("service", words.service, ({ place }) => place),
  textColumn("state", words.state, ({ state }) => state, {
    cell: ({ state }) => <Badge tone={tones[state]}>{words.states[state]}</Badge>,
  }),
  textColumn("version", words.version, ({ version }) => version || "–"),
  longColumn("problem", words.problem, ({ problem }) => problem || "–"),
];

const services = wholeSource(["health", "services"], () => Promise.all(places.map(ask)));

export function HealthPage() {
  return (
    <Page>
      <ListSection
        title={words.services}
        source={services}
        columns={columns}
        keyOf={({ place }) => place}
        notes={(found) => <Summary services={found} />}
        file="services"
      >
        <p className="soft">{words.servicesText}</p>
      </ListSection>
      <ForRoles roles={support}>
        <ListSection title={words.rails} {...rails} file="rails" />
      </ForRoles>
      <ForRoles roles={compliance}>
        <ListSection title={words.sources} {...listSources} file="list-sources" />
      </ForRoles>
    </Page>
  );
}

function Summary({ services: found }: { services: readonly Found[] }) {
  const down = found.flatMap(({ state, place }) => (state === "serving" ? [] : [place]));
  const versions = new Set(found.flatMap(({ version }) => version || []));
  return (
    <>
      {down.length === 0 ? (
        <Notice tone="good">{words.allServe}</Notice>
      ) : (
        <Notice tone="bad">{words.notServing({ services: down.join(", ") })}</Notice>
      )}
      {versions.size > 1 ? <Notice tone="warn">{words.versions}</Notice> : null}
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
