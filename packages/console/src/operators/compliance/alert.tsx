import {
  type Alert,
  AlertState,
  type GetAlertResponse,
  type ReviewEntry,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { getRouteApi, Link } from "@tanstack/react-router";
import { enumName } from "../../api/enum-names.ts";
import { isoOf, rpcs } from "../../api/rpc.ts";
import { useAnswer, useOptionalAnswer } from "../../api/use-answer.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { ForRoles } from "../../session/may.tsx";
import { operatorName } from "../../session/session.ts";
import { NotFound } from "../../shell/failures.tsx";
import { reviewers } from "../../shell/pages.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { MerchantName } from "../merchants.tsx";
import { OpenProposals } from "../open-proposal.tsx";
import { AlertActions } from "./alert-actions.tsx";
import { AddFile, Comment, Files } from "./evidence.tsx";
import { alertName, Due, Held, queueOf, withHeld } from "./queue.tsx";
import { Score } from "./score.tsx";
import { ListedSide, PartySide } from "./sides.tsx";

const { alert: words, alerts } = operatorTexts.compliance;
const route = getRouteApi("/shell/compliance/alerts/$alertId");

export function AlertPage() {
  const { alertId } = route.useParams();
  const answer = useAnswer(["compliance", "alert", alertId], () =>
    rpcs.review.getAlert({ alertId }),
  );
  const { alert, entries, files, related } = answer;
  if (alert === undefined) return <NotFound />;
  return (
    <Page
      title={words.titleOf({ name: alertName(alert) })}
      actions={<Neighbours alertId={alertId} />}
      id={alertId}
      state={
        <>
          <StateBadge state={enumName(AlertState, alert.state)} words={alerts.states} />
          {alert.dueAt === undefined ? null : (
            <span>
              {alerts.due}: <Due alert={alert} />
            </span>
          )}
        </>
      }
    >
      <OpenProposals place="compliance" subject={alertId} />
      <Sides alert={alert} answer={answer} />
      <div className="columns">
        <Section title={words.history}>
          <History entries={entries} />
          <ForRoles roles={reviewers}>
            <Comment alertId={alertId} />
          </ForRoles>
        </Section>
        <div className="stack">
          <AlertActions key={alertId} alert={alert} related={related} />
          <Section title={words.files}>
            <Files files={files} />
            <ForRoles roles={reviewers}>
              <AddFile alertId={alertId} />
            </ForRoles>
          </Section>
        </div>
      </div>
    </Page>
  );
}

const documents = [
  ["case.pdf", words.exportPdf],
  ["case.json", words.exportJson],
] as const;

/** Links to the alerts before and after this one in its queue, and to the documents of the case. */
function Neighbours({ alertId }: { alertId: string }) {
  const search = route.useSearch();
  const { previousAlertId = "", nextAlertId = "" } =
    useOptionalAnswer(["compliance", "adjacent", alertId, search], () =>
      rpcs.review.getAdjacentAlerts({ alertId, list: queueOf(search) }),
    ) ?? {};
  const beside = [
    [previousAlertId, words.previous, "p"],
    [nextAlertId, words.next, "n"],
  ] as const;
  return (
    <>
      {beside.map(([id, label, accessKey]) =>
        id === "" ? null : (
          <Link
            key={label}
            className="button"
            to="/compliance/alerts/$alertId"
            params={{ alertId: id }}
            {...{ search, accessKey }}
          >
            {label}
          </Link>
        ),
      )}
      {documents.map(([file, label]) => (
        <a key={file} className="button" href={`/console/download/alerts/${alertId}/${file}`}>
          {label}
        </a>
      ))}
    </>
  );
}

/** The money of the record that can't be paid before the alert is decided. */
function HeldMoney({ alert }: { alert: Alert }) {
  const rows = useOptionalAnswer(["compliance", "held", alert.id], () => withHeld([alert]));
  const sums = rows?.[0]?.held;
  return sums?.length === 0 ? alerts.noHeld : <Held sums={sums} />;
}

function Sides(props: { alert: Alert; answer: GetAlertResponse }) {
  const { alert, answer } = props;
  const { hit, subject } = alert;
  if (hit === undefined) return null;
  const { parties = [], wallets = [] } = answer.screening ?? {};
  const wallet = wallets[hit.subjectIndex - parties.length];
  return (
    <>
      <div className="columns">
        <Section title={words.ours}>
          <div className="card">
            <PartySide party={parties[hit.subjectIndex]} wallet={wallet?.address} hit={hit} />
            <Facts
              rows={[
                [alerts.record, subject?.recordId],
                [alerts.held, <HeldMoney key="held" alert={alert} />],
                [
                  operatorTexts.treasury.balances.merchant,
                  subject && <MerchantName key="merchant" id={subject.merchantId} />,
                ],
              ]}
            />
          </div>
        </Section>
        <Section title={words.listed}>
          <div className="card">
            <ListedSide hit={hit} />
          </div>
        </Section>
      </div>
      <Section title={words.score}>
        <Score hit={hit} />
      </Section>
    </>
  );
}

function History({ entries }: { entries: readonly ReviewEntry[] }) {
  if (entries.length === 0) return <Notice tone="info">{words.noHistory}</Notice>;
  return (
    <ol className="timeline">
      {entries.map((entry) => (
        <li key={String(entry.sequence)}>
          <div>
            <strong>{words.actions[entry.action] ?? entry.action}</strong>{" "}
            {words.by({ who: operatorName(entry.actor?.id) })}
          </div>
          <div className="soft small">
            <Moment at={isoOf(entry.createdAt)} />
          </div>
          {entry.detail === "" ? null : <p className="break">{entry.detail}</p>}
        </li>
      ))}
    </ol>
  );
}
