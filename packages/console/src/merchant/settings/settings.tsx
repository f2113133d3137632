import type { MerchantProfile } from "@disburse/sdk/gen/types.ts";
import { useSuspenseQuery } from "@tanstack/react-query";
import { profilePath } from "../../api/lists.ts";
import { get } from "../../api/request.ts";
import { settingsTexts } from "../../catalogue/settings-texts.ts";
import { may } from "../../session/session.ts";
import { useSession } from "../../session/use-session.ts";
import { Page } from "../../ui/page.tsx";
import { Part } from "../../ui/part.tsx";
import { ApprovalRules } from "./approval-rules.tsx";
import { Branding } from "./branding.tsx";
import { Profile } from "./profile.tsx";

/** A team's settings for all of its payouts. */
export function Settings() {
  const session = useSession();
  const mayChange = may(session, "merchant:write");
  const { data } = useSuspenseQuery({
    queryKey: [profilePath],
    queryFn: () => get<MerchantProfile>(profilePath),
  });
  return (
    <Page lead={settingsTexts.lead}>
      <Part>
        <ApprovalRules mayChange={may(session, "payout:control")} />
      </Part>
      <Profile profile={data} mayChange={mayChange} />
      <Branding profile={data} mayChange={mayChange} />
    </Page>
  );
}
