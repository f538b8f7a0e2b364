/** The success rate of each attack on each category of goals. */
import type { AirtMatrixCell } from '@drydock/sdk';
import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { CSSProperties } from 'react';
import { formatCountOf, formatPercent } from '../../components/format.ts';
import styles from '../red-team.module.css';
import { toWords } from '../states.ts';
import type { ReportProps } from './report-tab.tsx';

const LABEL = 'Success rate by goal category and attack';

export function HeatMap({ analytics, onShowFindings }: ReportProps) {
  const { matrix, by_attack, by_category } = analytics;
  const cells = new Map(matrix.map((cell) => [`${cell.category} ${cell.attack_name}`, cell]));
  const attacks = by_attack.map(({ name }) => name).toSorted();
  const categories = by_category.map(({ name }) => name).toSorted();
  return (
    // A block that scrolls has to be reachable with the keyboard.
    <div className={styles['heat']} tabIndex={0} role="group" aria-label={LABEL}>
      <table aria-label={LABEL}>
        <thead>
          <tr>
            <th scope="col">Goal category</th>
            {attacks.map((attack) => (
              <th key={attack} scope="col">
                {toWords(attack)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {categories.map((category) => (
            <tr key={category}>
              <th scope="row">{toWords(category)}</th>
              {attacks.map((attack) => (
                <Cell
                  key={attack}
                  cell={cells.get(`${category} ${attack}`)}
                  onOpen={() => onShowFindings({ category: [category], attack: [attack] })}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  readonly cell: AirtMatrixCell | undefined;
  readonly onOpen: () => void;
}

/** The redder, the more trials succeeded. The text says the same. */
function Cell({ cell, onOpen }: CellProps) {
  if (!cell || cell.n === 0)
    return (
      <td className={styles['noCell']}>
        <span title="Not tested">–</span>
      </td>
    );
  const { category, attack_name, asr, n } = cell;
  const style = { '--share': `${Math.round(100 * (asr ?? 0))}%` } as CSSProperties;
  const place = `${toWords(attack_name)} on ${toWords(category)}`;
  return (
    <td className={styles['cell']} style={style}>
      <UnstyledButton
        title={`${place}: ${formatPercent(asr)} of ${formatCountOf(n, 'trial')}`}
        onClick={onOpen}
      >
        <VisuallyHidden component="span">{place}: </VisuallyHidden>
        <b>{formatPercent(asr)}</b>
        <span>n {n}</span>
      </UnstyledButton>
    </td>
  );
}
