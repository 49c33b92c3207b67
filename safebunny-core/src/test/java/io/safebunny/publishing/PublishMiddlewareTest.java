// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.NackedException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishContext;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.transport.OutboundMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PublishMiddlewareTest {

    private static final PaymentCaptured PAYLOAD = new PaymentCaptured("o-1");

    private final List<@Nullable Object> seen = new ArrayList<>();

    /** Runs after the action. */
    private record After(PublishMiddleware middleware) implements PublishMiddleware {
        @Override
        public Group group() {
            return Group.AFTER;
        }

        @Override
        public void invoke(PublishContext context, Next next) throws Exception {
            middleware.invoke(context, next);
        }
    }

    private PublishMiddleware recordsFailure() {
        return new After((context, next) -> {
            seen.add(context.failure());
            next.run();
        });
    }

    @Test
    void setsHeadersAndSeesTheMessageBeforeAndAfterItIsIdentified() {
        Publisher publisher = new Publisher(
                (context, next) -> {
                    assertThat(context.payload()).isEqualTo(PAYLOAD);
                    assertThat(context.type()).isEqualTo("PaymentCaptured");
                    assertThat(context.messageId()).isNull();
                    context.header("tenant", "acme");
                    next.run();
                    seen.add(context.messageId());
                },
                new After((context, next) -> seen.add(context.messageId())));
        String id = publisher.bunny.publish(PAYLOAD).messageId();

        assertThat(publisher.onlyOne().headers()).containsEntry("tenant", "acme");
        assertThat(seen).containsExactly(id, id);
    }

    @Test
    void doesNotChangeOptionsThatTheCallerUsesAgain() {
        Publisher publisher = new Publisher((context, next) -> {
            context.header("tenant", "acme");
            next.run();
        });
        PublishOptions options = PublishOptions.none().withHeader("a", 1);
        publisher.bunny.publish(PAYLOAD, options);

        assertThat(options.headers()).containsOnlyKeys("a");
        assertThat(PublishOptions.none().headers()).isEmpty();
    }

    @Test
    void cannotSetALibraryHeader() {
        Publisher publisher = new Publisher((context, next) -> {
            context.header("sb-marker", 99);
            next.run();
        });

        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(PAYLOAD))
                .withMessageContaining("sb-marker");
        assertThat(publisher.transport.attempted()).isEmpty();
    }

    @Test
    void keepsAMessageFromBeingPublished() {
        Publisher publisher = new Publisher((context, next) -> seen.add("stopped"), recordsFailure());

        assertThat(publisher.bunny.publish(PAYLOAD)).isEqualTo(Published.dropped());
        assertThat(publisher.bunny.publishNow(PAYLOAD)).isEqualTo(Published.dropped());
        assertThat(publisher.bunny.publishAsync(PAYLOAD)).isCompletedWithValue(Published.dropped());
        assertThat(publisher.transport.attempted()).isEmpty();
        assertThat(seen).containsExactly("stopped", "stopped", "stopped");
    }

    @Test
    void thatSwallowsTheFailureDoesNotMakeAPublicationOfIt() {
        Publisher publisher = new Publisher((context, next) -> {
            try {
                next.run();
            } catch (NackedException e) {
                seen.add(e);
            }
        });
        publisher.transport.answerNext(RecordingTransport.NACK);

        assertThat(publisher.bunny.publish(PAYLOAD)).isEqualTo(Published.dropped());
        assertThat(seen).hasSize(1);
    }

    @Test
    void thatDropsAMessageLeavesNoIdToAskFor() {
        Published dropped = new Publisher((context, next) -> {}).bunny.publish(PAYLOAD);

        assertThat(dropped.isDropped()).isTrue();
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(dropped::messageId)
                .withMessageStartingWith("SB-5008 The message has no id: a publish middleware dropped it");
        assertThatExceptionOfType(MisuseException.class).isThrownBy(dropped::correlationId);
    }

    @Test
    void runsAfterASuccess() {
        Publisher publisher = new Publisher(recordsFailure());
        publisher.bunny.publish(PAYLOAD);

        assertThat(seen).hasSize(1).containsOnlyNulls();
    }

    @Test
    void runsAfterAFailureAndSeesIt() {
        Publisher publisher = new Publisher(recordsFailure());
        publisher.transport.answerNext(RecordingTransport.NACK);

        assertThatExceptionOfType(NackedException.class).isThrownBy(() -> publisher.bunny.publish(PAYLOAD));
        assertThat(seen).singleElement().isInstanceOf(NackedException.class);
    }

    @Test
    void doesNotHideWhyAMessageWasNotPublished() {
        Publisher publisher = new Publisher(new After((context, next) -> {
            throw new IllegalStateException("after");
        }));
        publisher.transport.answerNext(RecordingTransport.NACK);

        assertThatExceptionOfType(NackedException.class).isThrownBy(() -> publisher.bunny.publish(PAYLOAD));
    }

    @Test
    void runsAfterAnAsynchronousConfirm() {
        CompletableFuture<Void> confirm = new CompletableFuture<>();
        Publisher publisher = new Publisher(recordsFailure());
        publisher.transport.answerNext(message -> confirm);
        CompletableFuture<Published> published = publisher.bunny.publishAsync(PAYLOAD);
        assertThat(seen).isEmpty();
        assertThat(published).isNotDone();

        confirm.complete(null);

        assertThat(seen).hasSize(1).containsOnlyNulls();
        assertThat(published).isCompleted();
    }

    @Test
    void runsAfterAnAsynchronousFailureAndSeesIt() {
        Publisher publisher = new Publisher(recordsFailure());
        publisher.transport.answerNext(RecordingTransport.NACK);
        CompletableFuture<Published> published = publisher.bunny.publishAsync(PAYLOAD);

        assertThat(published).isCompletedExceptionally();
        assertThat(seen).singleElement().isInstanceOf(NackedException.class);
    }

    @Test
    void runsOnceAfterItIsKnownWhatBecomesOfAPublicationThatIsCollected() throws Exception {
        Publisher publisher = new Publisher(new After((context, next) -> seen.add(context.outcome())));
        List<OutboundMessage> collected = publisher.handling(() -> publisher.bunny.publish(PAYLOAD));
        assertThat(collected).hasSize(1);
        assertThat(seen).isEmpty();

        collected.get(0).ended(PublishOutcome.CONFIRMED, null);
        collected.get(0).ended(PublishOutcome.DROPPED, null);

        assertThat(seen).containsExactly(PublishOutcome.CONFIRMED);
    }

    @Test
    void failsThePublicationWithItsOwnException() {
        IllegalStateException unchecked = new IllegalStateException("unchecked");
        IOException checked = new IOException("checked");

        assertThatThrownBy(() -> new Publisher((context, next) -> {
                            throw unchecked;
                        })
                        .bunny.publish(PAYLOAD))
                .isSameAs(unchecked);
        assertThatThrownBy(() -> new Publisher((context, next) -> {
                            throw checked;
                        })
                        .bunny.publish(PAYLOAD))
                .isInstanceOf(InvalidPublicationException.class)
                .hasCause(checked);
    }

    @Test
    void sharesTheMessageScopeOfTheHandlerItPublishesIn() throws Exception {
        List<Object> beans = new ArrayList<>();
        Publisher[] self = new Publisher[1];
        Publisher publisher = new Publisher((context, next) -> {
            beans.add(self[0].scope.get("bean", Object::new));
            next.run();
        });
        self[0] = publisher;
        publisher.scope.run(() -> {
            beans.add(publisher.scope.get("bean", Object::new));
            publisher.bunny.publish(PAYLOAD);
        });
        publisher.bunny.publish(PAYLOAD);

        assertThat(beans).hasSize(3);
        assertThat(beans.get(1)).isSameAs(beans.get(0));
        assertThat(beans.get(2)).isNotSameAs(beans.get(0));
    }
}
