// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.transport;

import io.safebunny.transport.ControlChannel;
import io.safebunny.transport.Transport;

/** Faults against {@link ControlRules}. */
final class BrokenControl extends TransportFaults {

    private static final String RULE = "whatIsToldReachesEachInstanceOfTheNodeOnceAndNoOtherNode";

    BrokenControl() {
        fault("tells an instance only what it says itself", RULE, transport -> transport
                .on(Transport::control)
                .instead((sound, node, heard) -> transport.sabotaged(
                        ControlChannel.class,
                        sound.control(node, message -> {}),
                        channel -> channel.on(ControlChannel::tell).instead((real, message) -> {
                            heard.accept(message);
                            return done();
                        }))));
        fault("tells all nodes", RULE, transport -> transport
                .on(Transport::control)
                .instead((sound, node, heard) -> sound.control("everybody", heard)));
        fault("tells everything twice", RULE, transport -> transport
                .on(Transport::control)
                .instead((sound, node, heard) -> sound.control(node, message -> {
                    heard.accept(message);
                    heard.accept(message);
                })));
        fault("claims to have told", RULE, transport -> transport
                .on(Transport::control)
                .instead((sound, node, heard) -> transport.sabotaged(
                        ControlChannel.class, sound.control(node, heard), channel -> channel.on(ControlChannel::tell)
                                .instead((real, message) -> done()))));
    }
}
