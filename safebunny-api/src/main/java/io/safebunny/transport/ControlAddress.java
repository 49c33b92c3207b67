// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import java.util.regex.Pattern;

/** Which running instances receive what is sent over a {@link ControlChannel}. Immutable. */
public sealed interface ControlAddress {

    /** All instances of one node. */
    record OfNode(String node) implements ControlAddress {

        /** @throws MisuseException SB-5001 if it is no node's name */
        public OfNode {
            if (!Names.isNode(node)) {
                throw new MisuseException(
                        MisuseException.ARGUMENT,
                        "Invalid node [name=%s]: use the name that is set as safebunny.node."
                                .formatted(Names.printable(node)));
            }
        }
    }

    /** All instances of all nodes on the broker. */
    record Everyone() implements ControlAddress {}

    /**
     * One instance.
     *
     * @param id what the instance has chosen at its start, at random: 1 to 36 lower-case letters and digits
     */
    record OfInstance(String id) implements ControlAddress {

        private static final Pattern ID = Pattern.compile("[a-z0-9]{1,36}");

        /** @throws MisuseException SB-5001 for an invalid id */
        public OfInstance {
            if (!isId(id)) {
                throw new MisuseException(
                        MisuseException.ARGUMENT,
                        "Invalid id of an instance: use 1 to 36 lower-case letters and digits, chosen at random.");
            }
        }

        public static boolean isId(String id) {
            return ID.matcher(id).matches();
        }
    }
}
