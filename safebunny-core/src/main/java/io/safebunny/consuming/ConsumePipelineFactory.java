// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import io.safebunny.breaker.TypeBreaker;
import io.safebunny.concurrency.Turns;
import io.safebunny.dedup.claim.Claims;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Names;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Group;
import io.safebunny.node.Node;
import io.safebunny.observation.FailureDetails;
import io.safebunny.poison.queue.DeadLetters;
import io.safebunny.poison.queue.FailureLog;
import io.safebunny.poison.queue.HeldDeliveries;
import io.safebunny.poison.queue.Mover;
import io.safebunny.poison.queue.PoisonQueue;
import io.safebunny.rate.leasing.RateLimits;
import io.safebunny.saga.execution.Correlation;
import io.safebunny.store.record.RecordKey;
import io.safebunny.topology.Topology;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.validation.AgeLimit;
import io.safebunny.validation.MessageInspector;
import io.safebunny.validation.MessageValidator;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the consume pipeline of each handler of a node. Thread-safe. */
public final class ConsumePipelineFactory {

    private final Node node;
    private final Claims claims;
    private final Function<HandlerDefinition, @Nullable Correlation> correlations;
    private final HeldDeliveries held;
    private final BiConsumer<RecordKey, Instant> wakes;
    private final RateLimits rates;
    private final Turns<String> turns;

    /**
     * @param correlations which saga the messages of a handler belong to, {@code null} for none
     * @param held collects deliveries whose copies the broker refuses
     * @param wakes has the lane of an order key run when it is due
     * @param rates limits the types that have a rate
     */
    public ConsumePipelineFactory(
            Node node,
            Claims claims,
            Function<HandlerDefinition, @Nullable Correlation> correlations,
            HeldDeliveries held,
            BiConsumer<RecordKey, Instant> wakes,
            RateLimits rates) {
        this.node = node;
        this.wakes = wakes;
        this.rates = rates;
        this.claims = claims;
        this.correlations = correlations;
        this.held = held;
        this.turns = new Turns<>(node.timeline());
    }

    /** @param typesOfNode all types this node handles */
    public DeliveryHandler create(HandlerDefinition handler, Set<String> typesOfNode, TypeBreaker breaker) {
        String queue = handler.queue(node.name());
        FailureDetails details = node.details().of(handler.type());
        FailureLog failures = new FailureLog(node.log(), details, node.name(), handler.description());
        Mover mover = new Mover(node, held, queue);
        PoisonQueue poisonQueue = new PoisonQueue(node, queue, handler.type(), details, mover, failures);
        Recoverer recoverer = new Recoverer(node, handler, mover, poisonQueue, failures);
        Survivors survivors = new Survivors(node.options().topology().deliveryLimit());
        ConsumePipeline pipeline = new ConsumePipeline(
                this,
                handler,
                new MessageValidator(node, handler, typesOfNode, AgeLimit.of(node)),
                new MessageHandling(this, handler, breaker, recoverer, survivors),
                recoverer);
        return new DeliverySettler(pipeline, poisonQueue, survivors, node.log(), details, queue);
    }

    /**
     * For what the broker itself set aside, of all types of the node.
     *
     * @param handlers all of the node
     */
    public DeliveryHandler createForDeadLetters(List<HandlerDefinition> handlers) {
        Set<String> queues = handlers.stream()
                .map(handler -> Names.address(node.name(), handler.type()))
                .flatMap(queue -> Stream.of(queue, Topology.orderedOf(queue))) // a type may have been switched since
                .collect(Collectors.toUnmodifiableSet());
        String deadLetters = Topology.deadLettersOf(node.name());
        FailureDetails details = node.details().of(null); // the texts are the broker's
        FailureLog failures = new FailureLog(node.log(), details, node.name(), "none");
        return new DeadLetters(
                new PoisonQueue(node, deadLetters, "", details, new Mover(node, held, deadLetters), failures),
                queues,
                node.events(),
                node.log());
    }

    /**
     * Checks messages as the queue of this handler does.
     *
     * @param typesOfNode all types this node handles
     */
    public MessageInspector inspector(HandlerDefinition handler, Set<String> typesOfNode) {
        AgeLimit none = new AgeLimit(node.timeline(), null);
        return new MessageInspector(
                node, handler, new MessageValidator(node, handler, typesOfNode, none), correlation(handler));
    }

    Node node() {
        return node;
    }

    RateLimits rates() {
        return rates;
    }

    BiConsumer<RecordKey, Instant> wakes() {
        return wakes;
    }

    Claims claims() {
        return claims;
    }

    @Nullable
    Correlation correlation(HandlerDefinition handler) {
        return correlations.apply(handler);
    }

    /** One for all queues of the node; keyed by saga id. */
    Turns<String> turns() {
        return turns;
    }

    /** The outermost first. */
    List<ConsumeMiddleware> middlewares(Group group) {
        return node.parts().consumeMiddlewares().stream()
                .filter(middleware -> middleware.group() == group)
                .toList();
    }
}
