// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.orders;

import io.safebunny.benchmarks.database.FreshDatabase;
import java.time.Duration;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.configuration.JobRunrConfiguration.JobRunrConfigurationResult;
import org.jobrunr.jobs.JobId;
import org.jobrunr.jobs.context.JobContext;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.server.runner.ThreadLocalJobContext;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;

/**
 * A job of JobRunr (the free edition) for each saga, whose steps are run once unless the process crashes after one; so each inserts its
 * row only if it is not there. The server polls, and fetches more as soon as workers are free.
 */
final class JobRunrOrders implements OrderPeer {

    /** The shortest that is allowed. */
    static final int POLL_SECONDS = 5;

    private final JobRequestScheduler jobs;
    private final Handler handler;
    private volatile Consumer<String> end = order -> {};

    JobRunrOrders(FreshDatabase database, int connections) {
        DataSource pool = database.pool(connections);
        handler = new Handler(new Effects(pool), order -> end.accept(order));
        JobRunrConfigurationResult started = JobRunr.configure()
                .useStorageProvider(SqlStorageProviderFactory.using(pool))
                .useJobActivator(new JobActivator() {
                    @Override
                    public <T> T activateJob(Class<T> type) {
                        return type.cast(handler);
                    }
                })
                .useBackgroundJobServer(BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                        .andPollIntervalInSeconds(POLL_SECONDS)
                        .andWorkerCount(connections)
                        .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(Duration.ofSeconds(1)))
                .initialize();
        jobs = started.getJobRequestScheduler();
    }

    @Override
    public void begin(String order) {
        JobId unused = jobs.enqueue(new RunOrder(order));
    }

    @Override
    public void onEnd(Consumer<String> newEnd) {
        end = newEnd;
    }

    @Override
    public void close() {
        JobRunr.destroy();
    }

    /** The data of a job. */
    public record RunOrder(String order) implements JobRequest {
        @Override
        public Class<Handler> getJobRequestHandler() {
            return Handler.class;
        }
    }

    /** Its steps, one after the other. */
    public static final class Handler implements JobRequestHandler<RunOrder> {

        private final Effects effects;
        private final Consumer<String> end;

        Handler(Effects effects, Consumer<String> end) {
            this.effects = effects;
            this.end = end;
        }

        @Override
        public void run(RunOrder request) throws Exception {
            JobContext job = ThreadLocalJobContext.getJobContext();
            String order = request.order();
            job.runStepOnce("reserve", () -> effects.performAgain(order, 1));
            job.runStepOnce("charge", () -> effects.performAgain(order, 2));
            job.runStepOnce("pack", () -> effects.performAgain(order, 3));
            if (Order.isRefused(order)) {
                job.runStepOnce("unpack", () -> effects.undo(order, 3));
                job.runStepOnce("refund", () -> effects.undo(order, 2));
                job.runStepOnce("release", () -> effects.undo(order, 1));
            } else {
                job.runStepOnce("ship", () -> effects.performAgain(order, 4));
            }
            end.accept(order);
        }
    }
}
