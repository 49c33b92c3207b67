// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.safebunny.Bunny;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.fixture.RecordingTransport;
import io.safebunny.fixture.Wires;
import io.safebunny.handling.CurrentHandling;
import io.safebunny.handling.Handling;
import io.safebunny.handling.MessageScope;
import io.safebunny.identity.IdScheme;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.message.Envelope;
import io.safebunny.message.EnvelopeReader;
import io.safebunny.message.WireMessage;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.DetailsByType;
import io.safebunny.observation.Metrics;
import io.safebunny.observation.Observations;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.store.Outbox;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Node {@code billing} with a transport that records. */
final class Publisher {

    private static final JsonMessageSerializer JSON = new JsonMessageSerializer();

    static final Duration TIMEOUT = Duration.ofSeconds(5);

    final RecordingTransport transport = new RecordingTransport();
    final VirtualTimeline timeline = VirtualTimeline.skipping();
    final CurrentHandling current = new CurrentHandling();
    final MessageScope scope = new MessageScope();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Bunny bunny;

    Publisher(PublishMiddleware... middlewares) {
        this(new LineageIdScheme(), middlewares);
    }

    Publisher(IdScheme scheme, PublishMiddleware... middlewares) {
        this(scheme, null, middlewares);
    }

    Publisher(IdScheme scheme, @Nullable Outbox outbox, PublishMiddleware... middlewares) {
        this(scheme, outbox, Runnable::run, middlewares);
    }

    Publisher(IdScheme scheme, @Nullable Outbox outbox, Executor callbacks, PublishMiddleware... middlewares) {
        bunny = new PipelineBunny(
                current,
                new MessageFactory(
                        new PublishingOptions("billing", 1_000, payload -> BodyEncoding.NONE),
                        scheme,
                        payload -> JSON,
                        timeline,
                        new Metrics(meters)),
                new ConfirmedSender(transport, timeline, Runnable::run, TIMEOUT, 1_000),
                outbox,
                new AroundPublication(
                        List.of(middlewares),
                        scope,
                        callbacks,
                        Observations.none(),
                        new BoundedLog(timeline, ExceptionDetails.FULL),
                        new DetailsByType(ExceptionDetails.FULL)));
    }

    /** What is published while handling {@link Wires#orderPlaced()}. */
    List<OutboundMessage> handling(Next action) throws Exception {
        Handling handling = new Handling(current, Wires.orderPlaced().envelope());
        handling.run(action);
        return handling.collected();
    }

    Envelope onlyOne() {
        List<OutboundMessage> sent = transport.confirmed();
        if (sent.size() != 1) {
            throw new AssertionError("Expected one message, found " + sent);
        }
        return read(sent.get(0));
    }

    static Envelope read(OutboundMessage message) {
        return EnvelopeReader.read(message.message());
    }

    static List<String> ids(List<OutboundMessage> messages) {
        return messages.stream().map(message -> read(message).id()).toList();
    }

    /** Any message, for what is below the pipeline. */
    OutboundMessage message() {
        return new OutboundMessage(
                new WireMessage(
                        "id-1", "saga-1", "PaymentCaptured", "billing", null, null, null, Map.of(), new byte[0]),
                new Route.ToSubscribers("billing-PaymentCaptured"),
                Duration.ZERO);
    }
}
