import type { Hit, Party } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import {
  type Alert,
  AlertState,
  type GetAlertResponse,
  type ReviewEntry,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { enumName } from "../../api/enum-names.ts";
import { answerOf, isoOf, rpcs } from "../../api/rpc.ts";
import { operatorTexts } from "../../catalogue/operator-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { hasRole, operatorName } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Moment } from "../../ui/moment.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { MerchantName } from "../merchant-name.tsx";
import { OpenProposals } from "../open-proposal.tsx";
import { AlertActions } from "./alert-actions.tsx";
import { AddFile, Comment, Files } from "./evidence.tsx";
import { ListedEntry } from "./listed-entry.tsx";
import { alertName, Due, Held, queueOf, withHeld } from "./queue.tsx";
import { Score } from "./score.tsx";
import { ListedSide, PartySide } from "./sides.tsx";

const words = operatorTexts.compliance.alert;
const route = getRouteApi("/shell/compliance/alerts/$alertId");

export function AlertPage() {
  const { alertId } = route.useParams();
  const session = useSession();
  const found = useSuspenseQuery({
    queryKey: ["compliance", "alert", alertId],
    queryFn: () => answerOf(rpcs.review.getAlert({ alertId })),
  });
  const { alert, files, related } = found.data;
  if (alert === undefined) return <Notice tone="bad">{t.problems.notFound}</Notice>;
  const isReviewer = hasRole(session, "compliance_officer", "compliance_approver");
  const state = enumName(AlertState, alert.state);
  return (
    <Page
      title={words.titleOf({ name: alertName(alert) })}
      actions={<Neighbours alertId={alertId} />}
      lead={
        <span className="row">
          <span className="mono break">{alert.id}</span>
          <StateBadge state={state} words={operatorTexts.compliance.alerts.states} />
          {alert.dueAt === undefined ? null : (
            <span>
              {operatorTexts.compliance.alerts.due}: <Due alert={alert} />
            </span>
          )}
        </span>
      }
    >
      <OpenProposals place="compliance" subject={alertId} />
      <Sides answer={found.data} />
      <div className="columns">
        <Section title={words.history}>
          <History entries={found.data.entries} />
          {isReviewer ? <Comment alertId={alertId} /> : null}
        </Section>
        <div className="stack">
          <AlertActions key={alertId} alert={alert} related={related} />
          <Section title={words.files}>
            <Files files={files} />
            {isReviewer ? <AddFile alertId={alertId} /> : null}
          </Section>
        </div>
      </div>
    </Page>
  );
}

/** Links to the alerts before and after this one in its queue, and to the documents of the case. */
function Neighbours({ alertId }: { alertId: string }) {
  const search = route.useSearch();
  const { data } = useQuery({
    queryKey: ["compliance", "adjacent", alertId, search],
    queryFn: () => answerOf(rpcs.review.getAdjacentAlerts({ alertId, list: queueOf(search) })),
  });
  const { previousAlertId = "", nextAlertId = "" } = data ?? {};
  const beside = [
    [previousAlertId, words.previous, "p"],
    [nextAlertId, words.next, "n"],
  ] as const;
  const documents = [
    ["case.pdf", words.exportPdf],
    ["case.json", words.exportJson],
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
  const { data } = useQuery({
    queryKey: ["compliance", "held", alert.id],
    queryFn: async () => ({ sums: (await withHeld([alert]))[0]?.held }),
  });
  return data?.sums?.length === 0 ? operatorTexts.compliance.alerts.noHeld : <Held {...data} />;
}

function Sides({ answer: { alert, screening } }: { answer: GetAlertResponse }) {
  const hit = alert?.hit;
  if (hit === undefined) return null;
  const { parties = [], wallets = [] } = screening ?? {};
  const party: Party | undefined = parties[hit.subjectIndex];
  const wallet = wallets[hit.subjectIndex - parties.length];
  return (
    <>
      <div className="columns">
        <Section title={words.ours}>
          <div className="card">
            <PartySide party={party} wallet={wallet?.address} hit={hit} />
            <Facts
              rows={[
                [operatorTexts.compliance.alerts.record, alert?.subject?.recordId],
                [
                  operatorTexts.compliance.alerts.held,
                  alert && <HeldMoney key="held" alert={alert} />,
                ],
                [
                  operatorTexts.treasury.balances.merchant,
                  alert?.subject && <MerchantName key="merchant" id={alert.subject.merchantId} />,
                ],
              ]}
            />
          </div>
        </Section>
        <Section title={words.listed}>
          <div className="card">
            <ListedSide hit={hit} />
            <ListedEntry hit={hit} />
          </div>
        </Section>
      </div>
      <Scored hit={hit} />
    </>
  );
}

function Scored({ hit }: { hit: Hit }) {
  return (
    <Section title={words.score}>
      <Score hit={hit} />
    </Section>
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
