// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.jdbc.outbox.rows.OutboxRow;
import io.safebunny.jdbc.outbox.rows.SendingInOrder;
import io.safebunny.transport.OutboundMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** However sending goes wrong, its end is reported: until then nothing else of the correlation is sent. */
class SendingInOrderTest {

    private final List<CompletableFuture<Void>> answers = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();

    private void send(Function<OutboundMessage, CompletableFuture<Void>> sender, Executor executor) {
        List<OutboxRow> rows = List.of(row(1), row(2));
        new SendingInOrder(
                        rows,
                        sender,
                        executor,
                        () -> true,
                        (confirmed, failure) ->
                                ends.add(confirmed + " " + (failure == null ? null : failure.getMessage())))
                .run();
    }

    private static OutboxRow row(long id) {
        return new OutboxRow(id, "c", 0, OutboxUnderTest.message("c", "m-" + id));
    }

    private CompletableFuture<Void> answerLater(OutboundMessage message) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        answers.add(answer);
        return answer;
    }

    @Test
    void endsWhenThereIsNoThreadToGoOn() {
        send(this::answerLater, task -> {
            throw new OutOfMemoryError("no thread (simulated)");
        });
        answers.get(0).complete(null);

        assertThat(ends).containsExactly("1 null");
    }

    @Test
    void endsWhenTheSenderThrowsAnError() {
        send(
                message -> {
                    throw new NoSuchMethodError("simulated");
                },
                Runnable::run);

        assertThat(ends).containsExactly("0 simulated");
    }
}
