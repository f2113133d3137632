import type { Account, Actor } from "@disburse/sdk/gen/types.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { accounts } from "../api/lists.ts";
import { recordOf } from "../api/pages.ts";
import { t } from "../catalogue/texts.ts";
import { may } from "../session/session.ts";
import { useSession } from "../session/use-session.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/** Returns an account of the merchant, if it is known. */
export function useAccount(id: string, enabled = true) {
  const { data } = useQuery({ ...recordOf<Account>(accounts, id), enabled });
  return data;
}

/** The name that the merchant gave an account, or its currency, with a link to the statement. */
export function AccountName({ id }: { id: string }) {
  const session = useSession();
  const known = useAccount(id, may(session, "account:read"));
  if (known === undefined) return <span className="mono break">{id}</span>;
  return (
    <span className="row">
      <Link to="/accounts/$accountId" params={{ accountId: id }}>
        {known.name || known.currency_code}
      </Link>
      <CopyButton text={id} label={t.list.copyId} />
    </span>
  );
}

/** A person or program: its name, or its id if it has none. "" for none. */
export function actorName(actor: Actor | undefined): string {
  if (actor === undefined) return "";
  const { name, id, type } = actor;
  return name || `${t.list.creators[type] ?? type} ${id}`;
}
