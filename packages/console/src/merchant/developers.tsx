import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { t } from "../catalogue/texts.ts";
import { Page, Section } from "../ui/page.tsx";

const words = t.webhooks.developers;
const { pages } = t.shell;

export function Developers() {
  return (
    <Page>
      <div className="columns">
        <Topic title={words.reference} text={words.referenceText}>
          <a href="/docs">{words.reference}</a>
          <a href="/openapi.json">{words.document}</a>
        </Topic>
        <Topic title={pages.deliveries} text={words.deliveriesText}>
          <Link to="/deliveries">{pages.deliveries}</Link>
        </Topic>
        <Topic title={words.requests} text={words.requestsText}>
          <Link to="/requests">{pages.requests}</Link>
        </Topic>
      </div>
    </Page>
  );
}

const Topic = ({ title, text, children }: { title: string; text: string; children: ReactNode }) => (
  <div className="card">
    <Section title={title}>
      <p>{text}</p>
      <p className="row">{children}</p>
    </Section>
  </div>
);
