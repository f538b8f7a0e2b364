/** Saves a report of an assessment, or its signed evidence, as a file. */
import type { AssessmentResponse, CreateReportRequest } from '@drydock/sdk';
import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { downloadFile } from '../../components/download.ts';
import { useWhere } from '../../frame/scope.ts';

type ReportType = CreateReportRequest['report_type'];

const FORMATS: readonly { type: ReportType; label: string; file: string; media: string }[] = [
  { type: 'html', label: 'Report (HTML, prints)', file: 'report.html', media: 'text/html' },
  { type: 'markdown', label: 'Report (Markdown)', file: 'report.md', media: 'text/markdown' },
  { type: 'executive_summary', label: 'Summary for managers', file: 'summary.md', media: 'text/markdown' },
  { type: 'json', label: 'Data (JSON)', file: 'report.json', media: 'application/json' },
  { type: 'sarif', label: 'Findings (SARIF)', file: 'findings.sarif', media: 'application/sarif+json' },
];

export function ExportMenu({ assessment: { id } }: { readonly assessment: AssessmentResponse }) {
  const where = { ...useWhere(), assessment_id: id };
  const report = useAction(
    (type: ReportType) => drydock.assessments.createReport(where, { report_type: type }),
    ({ report_type, content, content_json }) => {
      const format = FORMATS.find(({ type }) => type === report_type);
      downloadFile(format?.file ?? 'report', content ?? JSON.stringify(content_json, null, 2), format?.media);
    },
  );
  const evidence = useAction(
    async () => (await drydock.assessments.evidence(where)).blob(),
    (archive) => downloadFile('evidence.zip', archive, 'application/zip'),
  );
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          loading={report.isPending || evidence.isPending}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(({ type, label }) => (
          <Menu.Item key={type} onClick={() => report.mutate(type)}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => evidence.mutate(undefined)}>Signed evidence (zip)</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
