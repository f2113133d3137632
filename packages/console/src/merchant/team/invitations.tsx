import { leavePage } from "../../api/request.ts";
import { t } from "../../catalogue/texts.ts";
import { answerInvitation, type Team } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNotice } from "../../ui/problem-notice.tsx";
import { useSingle } from "../../ui/use-attempt.ts";

const words = t.team.invitations;

export function Invitations() {
  const { invitations = [] } = useSession();
  return (
    <Page lead={words.lead}>
      {invitations.length === 0 ? <p>{words.empty}</p> : null}
      <ul className="plain">
        {invitations.map((each) => (
          <Invitation key={each.id} invitation={each} />
        ))}
      </ul>
    </Page>
  );
}

function Invitation({ invitation: { id, merchant, role } }: { invitation: Team }) {
  const isFirst = useSession().merchant === null;
  const accepting = useSingle({
    mutationFn: async () => {
      await answerInvitation(id, "accept");
      // A person's first team becomes the session's team.
      if (isFirst) await leavePage();
    },
  });
  return (
    <li className="card">
      <h2>{merchant.name}</h2>
      <p className="soft break">{merchant.id}</p>
      <p>{t.team.members.roles[role] ?? role}</p>
      {accepting.isError ? <ProblemNotice error={accepting.error} /> : null}
      <div className="row">
        <Button kind="primary" disabled={accepting.isPending} onClick={() => accepting.mutate()}>
          {words.accept}
        </Button>
        <ConfirmButton
          label={words.decline}
          text={words.declineText}
          confirm={() => answerInvitation(id, "decline")}
        />
      </div>
    </li>
  );
}
