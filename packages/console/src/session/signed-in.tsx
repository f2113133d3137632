import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { t } from "../catalogue/texts.ts";
import { Notice } from "../ui/notice.tsx";
import { sessionQuery, signedIn } from "./session.ts";

/** The page of a sign-in window: tells the console's other pages, and closes. */
export function SignedIn() {
  useEffect(() => {
    signedIn.postMessage("");
    window.close();
  }, []);
  return (
    <main className="main">
      <h1>{t.shell.signIn.done}</h1>
    </main>
  );
}

/** Shows a problem that a sign-in solves, until the person has signed in. */
export function UntilSignedIn({ children }: { children: ReactNode }) {
  const { data } = useQuery({ ...sessionQuery, enabled: false });
  const token = data?.csrf_token;
  const [before] = useState(token);
  if (token === undefined || token === before) return children;
  return <Notice tone="good">{t.steps.signedInAgain}</Notice>;
}
