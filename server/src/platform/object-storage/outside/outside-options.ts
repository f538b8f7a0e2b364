/** Address and credentials of an S3 server. */

export interface OutsideOptions {
  /** Undefined for AWS. Otherwise addresses are path-style. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Undefined for the credentials of the machine (environment, files, instance role). */
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  /** Undefined for the S3 endpoint, where many servers serve STS too; on AWS, for the regional STS endpoint. */
  readonly stsEndpoint?: string | undefined;
  /** Role to assume for temporary credentials; without it none are issued. */
  readonly stsRoleArn?: string | undefined;
}
