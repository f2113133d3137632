import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { enumName } from "../../api/enum-names.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";

const words = operatorTexts.compliance.monitoring;

/** Progress of rescreening with the current lists and configuration. */
export const Monitoring = () => (
  <Section title={words.title}>
    <Progress />
  </Section>
);

function Progress() {
  const { verdicts, behind, behindSince, eventsPending } = useAnswer(
    ["compliance", "monitoring"],
    () => rpcs.compliance.getMonitoring({}),
  );
  const all = verdicts.reduce((sum, { subjects }) => sum + subjects, 0n);
  const compared = all > behind ? all - behind : 0n;
  return (
    <div className="card">
      {all === 0n ? <p>{words.none}</p> : null}
      {all > 0n && behind === 0n ? (
        <Notice tone="good">{words.done({ count: String(all) })}</Notice>
      ) : null}
      {behind > 0n ? (
        <label className="stack">
          {words.under({ compared: String(compared), all: String(all) })}
          <progress max={Number(all)} value={Number(compared)} />
        </label>
      ) : null}
      <Facts
        rows={[
          [words.behindSince, behindSince && <Moment key="since" at={isoOf(behindSince)} />],
          ...verdicts.map(
            ({ verdict, subjects }) =>
              [words.verdicts[enumName(Verdict, verdict)] ?? "", String(subjects)] as const,
          ),
          [words.events, eventsPending === 0n ? undefined : String(eventsPending)],
        ]}
      />
    </div>
  );
}
