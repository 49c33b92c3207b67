// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.micrometer.observation.Observation;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.failure.policy.Ending;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.handling.Handling;
import io.safebunny.handling.Sealing;
import io.safebunny.message.Envelope;
import io.safebunny.message.Headers;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.NotYetReadableException;
import io.safebunny.middleware.Group;
import io.safebunny.node.Node;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.observation.LogContext;
import io.safebunny.observation.MessageMeters;
import io.safebunny.observation.Observations;
import io.safebunny.order.lane.StoredDelivery;
import io.safebunny.poison.queue.Settlement;
import io.safebunny.store.record.Fingerprint;
import io.safebunny.transport.Delivery;
import io.safebunny.validation.MessageValidator;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One queue's deliveries: check → observe → {@linkplain MessageHandling handle} → carry out → after group, read downwards;
 * {@link DeliverySettler} settles. Thread-safe.
 */
final class ConsumePipeline implements DeliverySettler.Processing {

    private static final Logger LOG = LoggerFactory.getLogger(ConsumePipeline.class);

    private static final Subject UNTOLD = Subject.warn(LOG, "Watchers of publications failed");

    private final Node node;
    private final HandlerDefinition handler;
    private final MessageValidator validator;
    /** Of what waits in order in the store, however long that takes: it knows what was handled. */
    private final MessageValidator stored;

    private final MessageHandling handling;
    private final Recoverer recoverer;
    private final AfterGroup afterGroup;
    private final AfterTheEnd failures;
    private final MessageMeters meters;
    private final SharedPipeline shared;
    /** Of what its handler stores; {@code null} if its messages are not encrypted. */
    private final @Nullable Sealing sealing;

    ConsumePipeline(
            ConsumePipelineFactory parts,
            HandlerDefinition handler,
            MessageValidator validator,
            MessageHandling handling,
            Recoverer recoverer) {
        this.node = parts.node();
        this.handler = handler;
        this.validator = validator;
        this.stored = validator.ofAnyAge();
        this.handling = handling;
        this.recoverer = recoverer;
        this.afterGroup = new AfterGroup(parts.middlewares(Group.AFTER), node.log(), handler.queue(node.name()));
        this.failures = new AfterTheEnd(LOG, node.log(), UNTOLD);
        this.meters = node.metrics().consumed(handler.type(), node.timeline());
        this.sealing = Sealing.by(node.parts().codecs().needed(handler.payloadClass()));
        this.shared = new SharedPipeline(node, handler, this, handling);
    }

    @Override
    public int mostTogether() {
        return shared.most();
    }

    @Override
    public void processTogether(List<? extends Delivery> deliveries, BiConsumer<Delivery, Settlement> ended)
            throws Exception {
        meters.begun(deliveries.size());
        try {
            shared.process(deliveries, ended);
        } finally {
            meters.ended(deliveries.size());
        }
    }

    @Override
    public Settlement process(Delivery delivery) throws Exception {
        HandledMessage message;
        try {
            message = check(delivery, false);
        } catch (InvalidMessageException e) {
            return recoverer.refuse(delivery, e);
        }
        if (message.isFirstAttempt()) {
            meters.delivered(
                    message.envelope().sentAt(), delivery.message().message().body());
        }
        LogContext before = LogContext.replaceBy(message, node.name());
        meters.begun(1);
        try {
            Settled settled = node.parts().scope().callAnew(() -> observed(message));
            if (settled.ending().equals(Ending.HANDLED)) {
                meters.completed(message.envelope().sentAt());
            }
            return settled.how();
        } finally {
            meters.ended(1);
            before.restore();
        }
    }

    /**
     * @param sharesTransaction whether others do
     * @throws InvalidMessageException it is poison
     */
    HandledMessage check(Delivery delivery, boolean sharesTransaction) {
        Envelope delivered = (delivery instanceof StoredDelivery ? stored : validator).check(delivery.message());
        Envelope envelope = delivered;
        Supplier<Object> body;
        try {
            Envelope decoded = validator.decoded(delivered);
            envelope = decoded;
            body = () -> validator.payload(decoded);
        } catch (NotHandledException | NotYetReadableException e) {
            if (e instanceof NotYetReadableException missing) {
                requireWorthWaiting(delivery, delivered, missing);
            }
            body = () -> {
                throw e;
            };
        } catch (SubjectErasedException e) {
            envelope = delivered.withSecretHash(Fingerprint.unreadable());
            body = () -> {
                throw e;
            };
        }
        Handling one = new Handling(node.current(), envelope, delivery::isOpen)
                .telling(node.details().of(handler.type()))
                .sealingSteps(sealing == null ? null : sealing.ofPayload(body));
        return new HandledMessage(
                delivery,
                handler.grouping().isBatch() ? one.forBatches() : one,
                body,
                handler.payloadClass(),
                node.publisher()::within,
                sharesTransaction);
    }

    /**
     * Where no retries can be counted, because a message in order keeps its place, it waits for what it lacks for as long as these would last. A
     * replay does not wait: its retries would lose what makes it a replay.
     *
     * @throws InvalidMessageException with the reason of what is missing
     */
    private void requireWorthWaiting(Delivery delivery, Envelope message, NotYetReadableException why) {
        boolean isReplay = delivery.message().message().headers().containsKey(Headers.POISONED_AT);
        Instant end = Instant.ofEpochMilli(message.sentAt())
                .plus(handler.recovery().delayed().total());
        if (isReplay
                || (handler.ordering().isOrdered() && !node.timeline().now().isBefore(end))) {
            throw new InvalidMessageException(why.reason(), why.messageWithoutCode(), why);
        }
    }

    private Settled observed(HandledMessage message) {
        Observation observation = startObserving(message);
        if (observation == null) {
            return settled(message);
        }
        Observation.Scope scope = node.observations().open(observation);
        String outcome = Observations.POISONED; // what the settler does if a core step throws
        try {
            Settled settled = settled(message);
            outcome = settled.outcome();
            return settled;
        } finally {
            node.observations().stop(observation, scope, outcome, message.attemptFailure(), message.handling.details());
        }
    }

    @Nullable
    Observation startObserving(HandledMessage message) {
        return node.observations()
                .startHandling(
                        message.envelope(),
                        message.delivery.message().exchange(),
                        message.delivery.message().routingKey(),
                        message.queue(),
                        !message.isFirstAttempt() || message.wasKept());
    }

    private Settled settled(HandledMessage message) {
        return settled(message, handling.handle(message));
    }

    /** Records the times of a message that was handled with others. */
    void ended(HandledMessage message, Instant deliveredAt) {
        long sentAt = message.envelope().sentAt();
        meters.delivered(sentAt, message.delivery.message().message().body(), deliveredAt);
        meters.completed(sentAt);
    }

    void failed(HandledMessage message, Throwable failure) {
        failures.failed(
                "What follows the handling of a message failed; it comes again as a duplicate", message, failure);
    }

    private Settled settled(HandledMessage message, Ending ending) {
        tellPublications(message, ending);
        Settled settled = recoverer.carryOut(message, ending);
        handling.wakeLane(message);
        afterGroup.tell(message);
        return settled;
    }

    private void tellPublications(HandledMessage message, Ending ending) {
        try {
            message.publicationsEnd(ending);
        } catch (Throwable e) {
            failures.failed("A watcher of publications failed when it was told of their end", message, e);
        }
    }

    /** Tells of the end of a message that was committed with others. */
    void told(HandledMessage message, Ending ending) {
        tellPublications(message, ending);
        afterGroup.tell(message);
    }
}
