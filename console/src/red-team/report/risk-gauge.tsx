/** The risk from 0 to 10 as a half circle. */
import { Text } from '@mantine/core';
import { riskWord } from '../figures.tsx';
import styles from '../red-team.module.css';

const RADIUS = 62;
const WIDTH = 16;
const CENTER_X = 80;
const CENTER_Y = 76;
const MAX_RISK = 10;

/** The point of the half circle at a risk. */
function toPoint(risk: number): string {
  const angle = Math.PI * (1 - risk / MAX_RISK);
  return `${CENTER_X + RADIUS * Math.cos(angle)} ${CENTER_Y - RADIUS * Math.sin(angle)}`;
}

const toArc = (from: number, to: number) => `M${toPoint(from)}A${RADIUS} ${RADIUS} 0 0 1 ${toPoint(to)}`;

export function RiskGauge({ risk }: { readonly risk: number }) {
  const { word, severity } = riskWord(risk);
  return (
    <div className={styles['gauge']}>
      <svg
        viewBox="0 0 160 92"
        width={176}
        role="img"
        aria-label={`Risk ${risk.toFixed(1)} of ${MAX_RISK}: ${word}`}
        strokeWidth={WIDTH}
        fill="none"
      >
        <path className={styles['gaugeRest']} d={toArc(0, MAX_RISK)} />
        {risk > 0 && <path className={styles['gaugeFill']} data-severity={severity} d={toArc(0, risk)} />}
        <text x={CENTER_X} y={CENTER_Y - 6} textAnchor="middle" className={styles['gaugeText']}>
          {risk.toFixed(1)}
        </text>
        <text x={CENTER_X - RADIUS} y={CENTER_Y + 14} textAnchor="middle" className={styles['gaugeEnd']}>
          0
        </text>
        <text x={CENTER_X + RADIUS} y={CENTER_Y + 14} textAnchor="middle" className={styles['gaugeEnd']}>
          {MAX_RISK}
        </text>
      </svg>
      <Text size="sm" fw={600} ta="center">
        {word}
      </Text>
    </div>
  );
}
