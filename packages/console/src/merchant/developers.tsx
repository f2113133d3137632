import { Link } from "@tanstack/react-router";
import { t } from "../catalogue/texts.ts";
import { Page, Section } from "../ui/page.tsx";

const words = t.webhooks.developers;

export function Developers() {
  return (
    <Page title={words.title}>
      <div className="columns">
        <div className="card">
          <Section title={words.reference}>
            <p>{words.referenceText}</p>
            <p className="row">
              <a href="/docs">{words.reference}</a>
              <a href="/openapi.json">{words.document}</a>
            </p>
          </Section>
        </div>
        <div className="card">
          <Section title={t.webhooks.deliveries.title}>
            <p>{words.deliveriesText}</p>
            <p>
              <Link to="/deliveries">{t.webhooks.deliveries.title}</Link>
            </p>
          </Section>
        </div>
        <div className="card">
          <Section title={words.requests}>
            <p>{words.requestsText}</p>
            <p>
              <Link to="/requests">{t.requests.title}</Link>
            </p>
          </Section>
        </div>
      </div>
    </Page>
  );
}
