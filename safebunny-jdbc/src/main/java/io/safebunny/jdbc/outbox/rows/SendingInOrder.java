// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox.rows;

import io.safebunny.transport.OutboundMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends rows of one correlation one by one, each after the confirm of the one before, until one fails. For one use. Not thread-safe; its
 * steps run on different threads but each happens before the next.
 */
public final class SendingInOrder {

    private final List<OutboxRow> rows;
    private final Function<OutboundMessage, CompletableFuture<Void>> sender;
    private final Executor executor;
    private final BooleanSupplier goesOn;
    private final End end;
    private int confirmed;

    /** Learns that sending has ended. */
    @FunctionalInterface
    public interface End {
        /**
         * Called once, on any thread; must not block.
         *
         * @param confirmed number of rows confirmed, counted from the first
         * @param failure why the next one failed; {@code null} if it was not tried
         */
        void ended(int confirmed, @Nullable Throwable failure);
    }

    /**
     * @param executor continues after a confirm that did not arrive at once: sending may block, and must not block the confirming thread
     * @param goesOn checked before each row
     */
    public SendingInOrder(
            List<OutboxRow> rows,
            Function<OutboundMessage, CompletableFuture<Void>> sender,
            Executor executor,
            BooleanSupplier goesOn,
            End end) {
        this.rows = rows;
        this.sender = sender;
        this.executor = executor;
        this.goesOn = goesOn;
        this.end = end;
    }

    /** Sends until a confirm does not arrive at once, then returns; {@link #answered} continues. */
    public void run() {
        while (confirmed < rows.size() && goesOn.getAsBoolean()) {
            CompletableFuture<Void> sent = sendNext();
            if (!sent.isDone()) {
                CompletableFuture<Void> unused = sent.whenComplete((none, failure) -> answered(failure));
                return;
            }
            Throwable failure = failureOf(sent);
            if (failure != null) {
                end.ended(confirmed, failure);
                return;
            }
            confirmed++;
        }
        end.ended(confirmed, null);
    }

    private CompletableFuture<Void> sendNext() {
        try {
            return sender.apply(rows.get(confirmed).message());
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static @Nullable Throwable failureOf(CompletableFuture<Void> done) {
        try {
            done.join();
            return null;
        } catch (CompletionException e) {
            return e.getCause() == null ? e : e.getCause();
        } catch (RuntimeException e) {
            return e;
        }
    }

    private void answered(@Nullable Throwable failure) {
        if (failure != null) {
            end.ended(
                    confirmed,
                    failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure);
            return;
        }
        confirmed++;
        if (confirmed == rows.size()) {
            end.ended(confirmed, null);
            return;
        }
        try {
            executor.execute(this::run);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // shutting down, or out of threads
            end.ended(confirmed, null);
        }
    }
}
