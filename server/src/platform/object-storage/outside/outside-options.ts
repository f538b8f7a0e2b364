/** Which S3, and as whom. */

export interface OutsideOptions {
  /** undefined: AWS. With one, addresses are path-style. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** undefined: what the machine has (environment, files, the instance's own role). */
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  /** undefined: the endpoint, where many servers answer for STS too; on AWS, its own of the region. */
  readonly stsEndpoint?: string | undefined;
  /** Which role is assumed for temporary credentials; without it none are issued. */
  readonly stsRoleArn?: string | undefined;
}
