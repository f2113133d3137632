import { lazy, Suspense, useState } from "react";
import { t } from "../catalogue/texts.ts";
import type { Session } from "../session/session.ts";

const AccountMenu = lazy(async () => {
  const { AccountMenu } = await import("./account-menu.tsx");
  return { default: AccountMenu };
});

/** Opens the account menu. Its code, with that of all menus, loads when it is first opened. */
export function AccountButton(props: { session: Session; isLive: boolean }) {
  const [isUsed, setUsed] = useState(false);
  const label = (
    <>
      <span className="visually-hidden">{t.shell.account}: </span>
      {props.session.person.name}
    </>
  );
  const button = (
    <button
      type="button"
      className="button account"
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setUsed(true)}
    >
      {label}
    </button>
  );
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <AccountMenu {...props} label={label} />
    </Suspense>
  );
}
