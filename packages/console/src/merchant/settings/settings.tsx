import type { MerchantProfile } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { profilePath } from "../../api/lists.ts";
import { get } from "../../api/request.ts";
import { settingsTexts } from "../../catalogue/settings-texts.ts";
import { t } from "../../catalogue/texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { Awaited } from "../../ui/awaited.tsx";
import { Page } from "../../ui/page.tsx";
import { ApprovalRules } from "./approval-rules.tsx";
import { Branding } from "./branding.tsx";
import { Profile } from "./profile.tsx";

/** A team's settings for all of its payouts. */
export function Settings() {
  const session = useSession();
  const mayChange = may(session, "merchant:write");
  const found = useQuery({
    queryKey: [profilePath],
    queryFn: () => get<MerchantProfile>(profilePath),
  });
  return (
    <Page title={t.shell.pages.settings} lead={settingsTexts.lead}>
      <ApprovalRules mayChange={may(session, "payout:control")} />
      {found.data === undefined ? (
        <Awaited found={found} />
      ) : (
        <>
          <Profile profile={found.data} mayChange={mayChange} />
          <Branding profile={found.data} mayChange={mayChange} />
        </>
      )}
    </Page>
  );
}
