// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.store.Outbox;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Publishing outside a handler, where there is an outbox. */
class PublishInTransactionTest {

    private final Stored outbox = new Stored();
    private final Publisher publisher = new Publisher(new LineageIdScheme(), outbox);

    private static final class Stored implements Outbox {
        private final List<OutboundMessage> messages = new ArrayList<>();
        private boolean inTransaction = true;

        @Override
        public boolean add(OutboundMessage message) {
            if (inTransaction) {
                messages.add(message);
            }
            return inTransaction;
        }

        @Override
        public void start(Function<OutboundMessage, CompletableFuture<Void>> sender) {}

        @Override
        public List<Unsent> findCorrelated(String correlationId, int limit) {
            return List.of();
        }

        @Override
        public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
            return List.of();
        }

        @Override
        public void stop() {}
    }

    @Test
    void isLeftToTheOutbox() {
        String id = publisher.bunny.publish(new PaymentCaptured("1")).messageId();
        assertThat(publisher.bunny.publishAsync(new PaymentCaptured("2"))).isCompleted();

        assertThat(Publisher.ids(outbox.messages)).hasSize(2).startsWith(id);
        assertThat(publisher.transport.attempted()).isEmpty();
    }

    @Test
    void isLeftToTheOutboxAlsoWhenItExistsAlready() {
        ((PipelineBunny) publisher.bunny).hand(publisher.message());
        assertThat(outbox.messages).hasSize(1);
        assertThat(publisher.transport.attempted()).isEmpty();

        outbox.inTransaction = false;
        ((PipelineBunny) publisher.bunny).hand(publisher.message());
        assertThat(publisher.transport.confirmed()).hasSize(1);
    }

    @Test
    void isSentAtOnceWithoutATransaction() {
        outbox.inTransaction = false;
        publisher.bunny.publish(new PaymentCaptured("1"));
        assertThat(publisher.bunny.publishAsync(new PaymentCaptured("2"))).isCompleted();

        assertThat(publisher.transport.confirmed()).hasSize(2);
    }

    @Test
    void isSentAtOnceWhenAskedTo() {
        publisher.bunny.publishNow(new PaymentCaptured("1"));

        assertThat(outbox.messages).isEmpty();
        assertThat(publisher.transport.confirmed()).hasSize(1);
    }

    @Test
    void isPartOfTheMessageWhereThereIsOneBeingHandled() throws Exception {
        assertThat(publisher.handling(() -> publisher.bunny.publish(new PaymentCaptured("1"))))
                .hasSize(1);
        assertThat(outbox.messages).isEmpty();
    }
}
