// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Published;
import io.safebunny.fixture.LogLines;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishContext;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What becomes of publications is known before their middlewares are done with those before them. */
class SlowAfterGroupTest {

    /** Each is a thread that does not get on. */
    private final Queue<Runnable> threads = new ArrayDeque<>();

    private final List<PublishOutcome> told = new ArrayList<>();
    private Consumer<Runnable> executor = threads::add;

    private final class After implements PublishMiddleware {
        @Override
        public Group group() {
            return Group.AFTER;
        }

        @Override
        public void invoke(PublishContext context, Next next) throws Exception {
            told.add(context.outcome());
            next.run();
        }
    }

    private final Publisher publisher =
            new Publisher(new LineageIdScheme(), null, task -> executor.accept(task), new After());

    private void publishAndConfirm(int count) throws Exception {
        List<OutboundMessage> collected = publisher.handling(() -> {
            for (int i = 0; i < count; i++) {
                publisher.bunny.publish(new PaymentCaptured("o-" + i));
            }
        });
        collected.forEach(message -> message.ended(PublishOutcome.CONFIRMED, null));
        publisher.timeline.advance(Duration.ofMinutes(1));
    }

    private void runThreads() {
        for (Runnable next = threads.poll(); next != null; next = threads.poll()) {
            next.run();
        }
    }

    @Test
    void takesAFewThreads() throws Exception {
        publishAndConfirm(100);
        assertThat(threads).hasSizeBetween(1, Reports.MOST_THREADS);

        runThreads();

        assertThat(told).hasSize(100).containsOnly(PublishOutcome.CONFIRMED);
        publishAndConfirm(1);
        runThreads();
        assertThat(told).hasSize(101);
    }

    @Test
    void doesNotFillTheMemoryAndTheLogSaysWhoIsNotTold() throws Exception {
        try (LogLines lines = new LogLines(Report.class.getName())) {
            publishAndConfirm(Reports.MOST_WAITING + 1);
            runThreads();

            assertThat(told).hasSize(Reports.MOST_WAITING);
            assertThat(lines.texts())
                    .singleElement()
                    .asString()
                    .startsWith("Outcome of message ")
                    .endsWith(" not reported to publish middlewares: CONFIRMED");
            assertThat(lines.printed()).contains("10000 reports already wait");
        }
    }

    @Test
    void doesNotHoldUpFuturesOfPublishAsync() {
        CompletableFuture<Void> confirm = new CompletableFuture<>();
        publisher.transport.answerNext(message -> confirm);
        CompletableFuture<Published> published = publisher.bunny.publishAsync(new PaymentCaptured("1"));
        confirm.complete(null);
        threads.remove().run();

        assertThat(published).isCompleted();
        assertThat(told).isEmpty();
        runThreads();
        assertThat(told).containsExactly(PublishOutcome.CONFIRMED);
    }

    /** They may hold locks, or be in a transaction. */
    @Test
    void isNotRunByThoseWhoTellWhenThereIsNoThread() throws Exception {
        executor = task -> {
            throw new RejectedExecutionException("stopped");
        };
        try (LogLines lines = new LogLines(Report.class.getName())) {
            publishAndConfirm(1);

            assertThat(told).isEmpty();
            assertThat(lines.texts()).hasSize(1);
        }
        executor = threads::add;
        publishAndConfirm(1);
        runThreads();
        assertThat(told).hasSize(1);
    }
}
