// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.harness;

import io.safebunny.PoisonMessageException;
import io.safebunny.doubles.ForwardingTransport;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.policy.RecoveryPolicy;
import io.safebunny.failure.policy.RetryStrategy;
import io.safebunny.handler.HandlerDefinition;
import io.safebunny.message.Headers;
import io.safebunny.message.MessageTypes;
import io.safebunny.message.Names;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import io.safebunny.transport.Transport;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Plays the participants of another node's saga: handles undos, so that they are acknowledged, and sets aside the types that it is told to
 * {@linkplain #refuse refuse}. Nothing consumes the saga's other messages. Thread-safe.
 */
public final class Participants {

    /** The name of the node that plays them, which must be among the saga's participants. */
    public static final String NODE = "participants";

    private static final int PREFETCH = 10;

    private final VirtualNode virtual;
    private final String ofNode;
    private final SentMessages sent = new SentMessages();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private final Set<String> handled = ConcurrentHashMap.newKeySet();

    /** @param ofNode the node of the saga */
    public Participants(VirtualNode virtual, String ofNode) {
        this.virtual = virtual;
        this.ofNode = ofNode;
    }

    /** Messages that the saga's node has sent through the {@link #heard} transport. */
    public SentMessages sent() {
        return sent;
    }

    /** Messages of the type are set aside from now on. */
    public void refuse(String type) {
        refused.add(type);
    }

    /** Wraps the transport of the saga's node to observe its messages. */
    public Transport heard(Transport transport) {
        return new Heard(transport);
    }

    /** Whether the application published the message: it is neither a copy nor a notice of the library. */
    private boolean isOfTheApplication(OutboundMessage outbound) {
        String type = String.valueOf(outbound.message().type());
        return outbound.route().equals(new Route.ToSubscribers(Names.address(ofNode, type)))
                && !MessageTypes.isReserved(type);
    }

    /** Starts handling the message's type if necessary, because its queue must exist before the message is sent. */
    private void prepareFor(WireMessage message) {
        String type = String.valueOf(message.type());
        boolean isUndo = message.headers().containsKey(Headers.UNDOES);
        if ((isUndo || refused.contains(type)) && handled.add(type)) {
            start(type);
        }
    }

    private void start(String type) {
        SafeBunnyEngine engine = new SafeBunnyEngine(SafeBunnyParts.builder(
                        SafeBunnyOptions.of(NODE),
                        virtual.transport(NODE, TopologyOptions.defaults()),
                        virtual.process().timeline())
                .callbacks(virtual.process().executor())
                .build());
        engine.start(List.of(new HandlerDefinition(
                NODE,
                type,
                Object.class,
                List.of(ofNode),
                PREFETCH,
                RecoveryPolicy.of(RetryStrategy.none(), RetryStrategy.none()),
                (payload, context) -> refuseIfToldTo(type))));
    }

    private void refuseIfToldTo(String type) {
        if (refused.contains(type)) {
            throw new PoisonMessageException("The participants of this test set aside " + type);
        }
    }

    private final class Heard extends ForwardingTransport {

        Heard(Transport transport) {
            super(transport);
        }

        @Override
        public CompletableFuture<Void> send(OutboundMessage message, Deadline deadline) {
            if (!isOfTheApplication(message)) {
                return transport.send(message, deadline);
            }
            prepareFor(message.message());
            CompletableFuture<Void> confirmed = transport.send(message, deadline);
            if (confirmed.isDone() && !confirmed.isCompletedExceptionally()) {
                sent.add(message.message());
            }
            return confirmed;
        }
    }
}
