/** The report as SARIF 2.1.0: a rule for each attack, a result for each finding in which it succeeded, in full or in part. */
import { createHash } from 'node:crypto';
import { REJECTED_STATUSES } from '../../../platform/red-team/scoring/calibration.ts';
import { FRAMEWORKS } from '../../../platform/red-team/scoring/compliance.ts';
import { successRate } from '../../../platform/red-team/scoring/rates.ts';
import { SEVERITIES, type Severity } from '../../../platform/red-team/scoring/severity.ts';
import { cutText } from '../cut-text.ts';
import { toRateText } from '../report-content.ts';
import type { ReportData, ReportFinding } from '../report-data.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const GOAL_SHOWN = 300;

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};

/** Numbers in the ranges of CVSS, by which viewers name severities. */
const SECURITY_SEVERITIES: Readonly<Record<Severity, string>> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.5',
  info: '0.0',
};

/** The triage statuses of findings that nobody has to fix. */
const SUPPRESSED: ReadonlySet<string> = new Set(['accepted_risk', ...REJECTED_STATUSES]);

export function toSarif(data: ReportData): Record<string, unknown> {
  const { assessment, serverVersion, attacks, findings } = data;
  const taxonomies = toTaxonomies(data);
  const rules = attacks.map(({ name }) => name);
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Drydock',
            version: serverVersion,
            semanticVersion: serverVersion,
            rules: attacks.map((attack) => toRule(attack, findings)),
            ...(taxonomies.length > 0 && {
              supportedTaxonomies: taxonomies.map(({ name }, index) => ({ name, index })),
            }),
          },
        },
        automationDetails: { id: `drydock/red-team/${assessment.project_id}/${assessment.id}` },
        invocations: [
          {
            executionSuccessful: assessment.status === 'completed',
            ...(assessment.started_at && { startTimeUtc: assessment.started_at }),
            ...(assessment.completed_at && { endTimeUtc: assessment.completed_at }),
          },
        ],
        columnKind: 'utf16CodeUnits',
        taxonomies,
        results: findings.map((finding) => toResult(finding, data, rules, taxonomies)),
        properties: {
          assessment_id: assessment.id,
          assessment_name: assessment.name,
          risk_score: data.analytics.risk_score,
          asr: data.analytics.success.asr,
          interval: data.analytics.success.interval,
          digests: data.digests,
        },
      },
    ],
  };
}

function toRule(attack: ReportData['attacks'][number], findings: readonly ReportFinding[]) {
  const own = findings.filter(({ attack_name }) => attack_name === attack.name);
  const worst = SEVERITIES.find((severity) => own.some((finding) => finding.severity === severity)) ?? 'info';
  const text = attack.summary ?? `The attack ${attack.name}, as a client reported it.`;
  return {
    id: attack.name,
    name: attack.name,
    shortDescription: { text },
    ...(attack.paper && {
      fullDescription: { text: `${text} Source: ${attack.paper.title}.` },
      helpUri: attack.paper.url,
    }),
    properties: { tags: ['security', 'red-team'], 'security-severity': SECURITY_SEVERITIES[worst] },
  };
}

interface Taxonomy {
  readonly name: string;
  readonly version: string;
  readonly informationUri: string;
  readonly taxa: readonly { readonly id: string; readonly shortDescription: { readonly text: string } }[];
}

/** The controls that the analytics cover, by framework. */
const toTaxonomies = ({ analytics }: ReportData): Taxonomy[] =>
  FRAMEWORKS.flatMap(({ key, name, version, url }) => {
    const taxa = analytics.compliance
      .filter(({ framework }) => framework === key)
      .map(({ control, title }) => ({ id: control, shortDescription: { text: title ?? control } }));
    return taxa.length === 0 ? [] : { name, version, informationUri: url, taxa };
  });

function toResult(
  finding: ReportFinding,
  { target }: ReportData,
  rules: readonly string[],
  taxonomies: readonly Taxonomy[],
) {
  const { finished_trials: finished, jailbreak_trials: jailbreaks } = finding;
  const success = successRate({ finished, jailbreaks });
  const tags = Object.values(finding.compliance_tags ?? {}).flat();
  const goal = cutText(finding.goal, GOAL_SHOWN);
  const how = finding.finding_type === 'partial' ? 'succeeded in part' : 'succeeded';
  return {
    ruleId: finding.attack_name,
    ruleIndex: rules.indexOf(finding.attack_name),
    level: LEVELS[finding.severity],
    message: {
      text: `The attack ${plain(finding.attack_name)} ${how} against ${plain(target.name)}: ${toRateText(success)}. Goal: ${plain(goal)}`,
    },
    locations: [
      {
        logicalLocations: [
          { name: target.name, fullyQualifiedName: `${target.kind}:${target.name}`, kind: 'resource' },
        ],
      },
    ],
    partialFingerprints: { 'drydockFinding/v1': fingerprintOf(finding, `${target.kind}:${target.name}`) },
    taxa: toTaxa(tags, taxonomies),
    // All results have the field: if it were omitted, a viewer could not distinguish an unsuppressed result from an unreviewed one.
    suppressions: SUPPRESSED.has(finding.finding_status)
      ? [{ kind: 'external', status: 'accepted', justification: finding.notes ?? finding.finding_status }]
      : [],
    properties: {
      severity: finding.severity,
      'security-severity': SECURITY_SEVERITIES[finding.severity],
      asr: success.asr,
      interval: success.interval,
      best_score: finding.best_score,
      finding_id: finding.id,
      finding_type: finding.finding_type,
      finding_status: finding.finding_status,
      goal_category: finding.goal_category,
      tags: [...new Set(tags)],
    },
  };
}

/** Brackets begin links in messages, and braces placeholders. */
const plain = (text: string) => text.replace(/[\\[\]]/g, String.raw`\$&`).replace(/[{}]/g, '$&$&');

const toTaxa = (tags: readonly string[], taxonomies: readonly Taxonomy[]) =>
  taxonomies.flatMap(({ name, taxa }, taxonomyIndex) =>
    taxa.flatMap(({ id }, index) =>
      tags.includes(id) ? { id, index, toolComponent: { name, index: taxonomyIndex } } : [],
    ),
  );

/** The same attack, goal and target have the same in every assessment. */
const fingerprintOf = ({ attack_name, goal_sha256 }: ReportFinding, target: string) =>
  createHash('sha256')
    .update(JSON.stringify([attack_name, goal_sha256, target]))
    .digest('hex');
