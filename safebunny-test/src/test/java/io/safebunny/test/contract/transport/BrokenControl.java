// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.test.contract.bites.Sabotage;
import io.safebunny.transport.ControlAddress;
import io.safebunny.transport.ControlAddress.Everyone;
import io.safebunny.transport.ControlAddress.OfInstance;
import io.safebunny.transport.ControlAddress.OfNode;
import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.Transport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Faults against {@link ControlRules}. */
final class BrokenControl extends TransportFaults {

    private static final String NODE = "whatIsToldReachesEachInstanceOfTheNodeOnceAndNoOtherNode";
    private static final String EVERYONE = "whatIsToldEveryoneReachesEachInstanceOfEachNodeOnce";
    private static final String ONE = "whatIsToldOneInstanceReachesItAlone";
    private static final String NOBODY = "anAddressAtWhichNobodyListensSilencesNoOther";

    BrokenControl() {
        fault("tells an instance only what it says itself", List.of(NODE, EVERYONE, ONE), transport -> transport
                .on(Transport::control)
                .instead((sound, listeners) -> transport.sabotaged(
                        ControlChannel.class, sound.control(Map.of()), channel -> channel.on(ControlChannel::tell)
                                .instead((real, to, message) -> {
                                    Consumer<byte[]> own = listeners.get(to);
                                    if (own != null) {
                                        own.accept(message);
                                    }
                                    return done();
                                }))));
        fault(
                "tells all nodes",
                NODE,
                readdressing(address -> address instanceof OfNode ? new OfNode("everybody") : address));
        fault(
                "tells all instances",
                ONE,
                readdressing(address -> address instanceof OfInstance ? new OfInstance("everybody") : address));
        fault("tells everything twice", List.of(NODE, EVERYONE, ONE), transport -> transport
                .on(Transport::control)
                .instead((sound, listeners) -> {
                    Map<ControlAddress, Consumer<byte[]>> twice = new LinkedHashMap<>();
                    listeners.forEach((address, heard) -> twice.put(address, message -> {
                        heard.accept(message);
                        heard.accept(message);
                    }));
                    return sound.control(twice);
                }));
        fault("claims to have told", List.of(NODE, EVERYONE, ONE, NOBODY), telling((real, to, message) -> done()));
        fault(
                "does not tell other nodes",
                EVERYONE,
                telling((real, to, message) -> to instanceof Everyone ? done() : real.tell(to, message)));
        fault("falls silent once nobody listens", NOBODY, transport -> transport
                .on(Transport::control)
                .instead((sound, listeners) -> {
                    AtomicBoolean silent = new AtomicBoolean();
                    return transport.sabotaged(
                            ControlChannel.class, sound.control(listeners), channel -> channel.on(ControlChannel::tell)
                                    .instead((real, to, message) -> {
                                        boolean own = listeners.containsKey(to);
                                        silent.compareAndSet(false, !own);
                                        return own && silent.get() ? done() : real.tell(to, message);
                                    }));
                }));
    }

    private static Consumer<Sabotage<Transport>> telling(
            Sabotage.Answer2<ControlChannel, ControlAddress, byte[], CompletableFuture<Void>> fault) {
        return transport -> transport
                .on(Transport::control)
                .instead((sound, listeners) -> transport.sabotaged(
                        ControlChannel.class, sound.control(listeners), channel -> channel.on(ControlChannel::tell)
                                .instead(fault)));
    }

    /** Listens and sends elsewhere. */
    private static Consumer<Sabotage<Transport>> readdressing(UnaryOperator<ControlAddress> change) {
        return transport -> transport.on(Transport::control).instead((sound, listeners) -> {
            Map<ControlAddress, Consumer<byte[]>> elsewhere = new LinkedHashMap<>();
            listeners.forEach((address, heard) -> elsewhere.put(change.apply(address), heard));
            return transport.sabotaged(
                    ControlChannel.class, sound.control(elsewhere), channel -> channel.on(ControlChannel::tell)
                            .instead((real, to, message) -> real.tell(change.apply(to), message)));
        });
    }
}
