"""The worker: claims one job after the other and sees each through. It never imports torch."""

import logging
import os
import shutil
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from drydock_trainer import doctor
from drydock_trainer.engine.process import EngineProcess
from drydock_trainer.engine.task import DatasetFile, Task
from drydock_trainer.errors import JobError, Stopped
from drydock_trainer.protocol.checkpoints import CheckpointUploader
from drydock_trainer.protocol.files import FileCache
from drydock_trainer.protocol.http import Api, HttpError
from drydock_trainer.protocol.jobs import Config, Job, RemoteFile, linked_files
from drydock_trainer.protocol.progress import Progress

log = logging.getLogger(__name__)

PROTOCOL = 1
WAIT_SECONDS = 20
CLAIM_TIMEOUT_SECONDS = 60.0


@dataclass(frozen=True)
class Settings:
    """How a worker runs."""

    name: str
    work_dir: Path
    cache_bytes: int
    once: bool
    idle_exit_seconds: float | None


class Worker:
    """Claims jobs from one workspace until it is stopped."""

    def __init__(self, api: Api, settings: Settings) -> None:
        self._api = api
        self._settings = settings
        self._cache = FileCache(settings.work_dir / "cache", settings.cache_bytes)
        self._jobs = settings.work_dir / "jobs"
        self._running: JobRun | None = None
        _remove_left_over(self._jobs)

    def stop_at_signal(self) -> None:
        """Exit at once on SIGTERM and SIGINT; another worker goes on from the last checkpoint."""

        def exit_now(number: int, _frame: FrameType | None) -> None:
            if self._running is not None:
                self._running.kill_engine()
            os._exit(128 + number)

        signal.signal(signal.SIGTERM, exit_now)
        signal.signal(signal.SIGINT, exit_now)

    def run(self) -> None:
        """Claim and train until `once` or `idle_exit_seconds` ends it."""
        resources = doctor.resources()
        idle_since = time.monotonic()
        while True:
            job = self._claim(resources)
            if job is not None:
                log.info('Claimed job "%s", attempt %d.', job.id, job.attempt)
                self._running = JobRun(self._api, self._cache, self._jobs, job)
                self._running.run()
                self._running = None
                if self._settings.once:
                    return
                idle_since = time.monotonic()
            limit = self._settings.idle_exit_seconds
            if limit is not None and time.monotonic() - idle_since >= limit:
                log.info("No job for %.0f s; exiting.", limit)
                return

    def _claim(self, resources: dict[str, Any]) -> Job | None:
        limit = self._settings.idle_exit_seconds
        wait = WAIT_SECONDS if limit is None else min(WAIT_SECONDS, int(limit))
        body = {
            "worker": self._settings.name,
            "engines": ["local"],
            "protocol": PROTOCOL,
            "wait_seconds": wait,
            "resources": resources,
        }
        # A claim is repeated for as long as the process runs, so nothing ever sets this event.
        answer = self._api.post("/training/claim", body, threading.Event(), CLAIM_TIMEOUT_SECONDS)
        raw = answer.get("job")
        return None if raw is None else Job.parse(raw)


class JobRun:
    """One attempt of one job: downloads, the engine process, uploads and reports."""

    def __init__(self, api: Api, cache: FileCache, jobs: Path, job: Job) -> None:
        self._api = api
        self._cache = cache
        self._job = job
        self._folder = jobs / f"{os.getpid()}-{job.id}-{job.attempt}"
        self._stop = threading.Event()
        self._engine: EngineProcess | None = None
        self._progress = Progress(api, job.id, job.attempt, self._interrupt)
        self._uploads = CheckpointUploader(
            api, job.id, job.attempt, self._stop, saved=self._checkpoint_saved, failed=self.kill_engine
        )

    def run(self) -> None:
        """See the job through to its last report."""
        try:
            self._train()
        except JobError as error:
            log.error('Job "%s" failed: %s', self._job.id, error.message)
            self._report("training_error", kind=error.kind, field=error.field, message=error.message)
        except Stopped:
            self._report("cancelled")
        except HttpError as error:
            log.error('Job "%s" failed: %s', self._job.id, error)
            self._report("training_error", kind="error", field=None, message=f"{error}. Retry the job.")
        except Exception as error:
            log.exception('Job "%s" failed.', self._job.id)
            text = f"The trainer failed: {type(error).__name__}. Its own log has the details."
            self._report("training_error", kind="error", field=None, message=text)
        finally:
            self._stop.set()
            if self._engine is not None:
                self._engine.close()
            self._progress.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def kill_engine(self) -> None:
        """End the engine process, if there is one."""
        if self._engine is not None:
            self._engine.kill()

    def _interrupt(self) -> None:
        """The server cancelled the job, or gave it to another worker."""
        self._stop.set()
        self.kill_engine()

    def _report(self, kind: str, /, **fields: Any) -> None:
        if self._progress.cancelled.is_set():
            # Whatever else failed in between, the response to a cancellation is that training stopped.
            kind, fields = "cancelled", {}
        self._progress.add(kind, **fields)

    def _train(self) -> None:
        task = self._download()
        self._check_stopped()
        self._engine = EngineProcess(task)
        self._check_stopped()
        for message in self._engine.messages():
            self._check_stopped()
            self._dispatch(message)
        self._check_stopped()

    def _check_stopped(self) -> None:
        if self._stop.is_set():
            raise Stopped(self._job.id)
        if self._uploads.failure is not None:
            raise _upload_error(self._uploads.failure)

    def _dispatch(self, message: dict[str, Any]) -> None:
        if message["message"] == "record":
            self._progress.add(message["kind"], **message["fields"])
        elif message["message"] == "checkpoint":
            self._uploads.add(message["step"], Path(message["folder"]), message["metrics"])
        else:
            self._finish(message["fields"])

    def _finish(self, fields: dict[str, Any]) -> None:
        try:
            self._uploads.finish()
        except Stopped:
            raise
        except Exception as error:
            raise _upload_error(error) from error
        self._check_stopped()
        self._progress.add("training_end", **fields)

    def _checkpoint_saved(self, step: int, metrics: dict[str, Any]) -> None:
        self._progress.add("checkpoint_saved", step=step, metrics=metrics)
        if self._engine is not None:
            self._engine.confirm_upload()

    def _download(self) -> Task:
        job = self._job
        if job.engine != "local":
            message = f'This trainer has no engine "{job.engine}". Start one that has it.'
            raise JobError("refused", message, "backend")
        config = Config.parse(job.config)
        base = None if job.model.files is None else self._place(job.model.files, "model")
        datasets = []
        for index, data in enumerate(job.datasets):
            folder = self._place([data.file], f"data-{index}")
            datasets.append(DatasetFile(data.role, data.name, data.format, str(folder / data.file.path)))
        saved = None if job.checkpoint is None else self._place(job.checkpoint.files, "checkpoint")
        return Task(
            model_reference=job.model.reference,
            model_folder=None if base is None else str(base),
            system_prompt=job.system_prompt,
            config=config,
            datasets=tuple(datasets),
            checkpoint_step=None if job.checkpoint is None else job.checkpoint.step,
            checkpoint_folder=None if saved is None else str(saved),
            output_folder=str(self._folder / "output"),
        )

    def _place(self, files: tuple[RemoteFile, ...] | list[RemoteFile], name: str) -> Path:
        folder = self._folder / name
        for file in files:
            try:
                self._cache.place(file, folder / file.path, self._stop)
            except HttpError:
                # Addresses live for minutes, and a large model takes longer.
                self._cache.place(self._link_again(file), folder / file.path, self._stop)
        return folder

    def _link_again(self, file: RemoteFile) -> RemoteFile:
        path = f"/training/jobs/{self._job.id}/files"
        answer = self._api.post(path, {"attempt": self._job.attempt}, self._stop)
        for linked in linked_files(answer):
            if (linked.path, linked.sha256) == (file.path, file.sha256):
                return linked
        raise JobError("error", f'The server has no address for "{file.path}" any more. Retry the job.')


def _upload_error(error: BaseException) -> Exception:
    if isinstance(error, Stopped | JobError):
        return error
    if isinstance(error, HttpError):
        return JobError("error", f"A checkpoint could not be uploaded: {error}. Check the object storage.")
    return JobError(
        "error", f"A checkpoint could not be uploaded: {type(error).__name__}. Check the trainer's log."
    )


def _remove_left_over(jobs: Path) -> None:
    """Remove folders of jobs whose worker is gone."""
    jobs.mkdir(parents=True, exist_ok=True)
    for folder in jobs.iterdir():
        owner = folder.name.split("-")[0]
        if not owner.isdigit() or int(owner) == os.getpid() or not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)
