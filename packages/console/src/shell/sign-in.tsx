import { getRouteApi } from "@tanstack/react-router";
import { t } from "../catalogue/texts.ts";
import { signInAddress } from "../session/session.ts";
import mark from "../styles/mark.svg";
import { Notice } from "../ui/notice.tsx";

const words = t.shell.signIn;
const route = getRouteApi("/sign-in");

/** Redirects to the identity provider and back to the requested page. */
export function SignIn() {
  const { return_to: returnTo = "/console/", error } = route.useSearch();
  return (
    <main className="sign-in">
      <div className="card">
        <span className="brand row">
          <img src={mark} alt="" />
          {t.shell.product}
        </span>
        <h1>{words.title}</h1>
        {error === undefined ? null : <Notice tone="bad">{words.failed}</Notice>}
        <p>{words.text}</p>
        <a className="button" data-kind="primary" href={signInAddress(returnTo)}>
          {words.button}
        </a>
      </div>
    </main>
  );
}
