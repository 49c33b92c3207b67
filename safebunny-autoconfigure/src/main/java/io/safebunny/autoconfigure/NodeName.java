// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.Names;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** The name of this node: {@code safebunny.node}, or {@code spring.application.name} if that is not set. */
final class NodeName {

    private NodeName() {}

    /** @throws ConfigurationException SB-1001, SB-1302 or SB-1303 when there is no name that is valid on the wire */
    static String of(@Nullable String node, @Nullable String applicationName) {
        if (StringUtils.hasText(node)) {
            return Names.requireNode(node, "safebunny.node");
        }
        if (!StringUtils.hasText(applicationName)) {
            throw new ConfigurationException(
                    "SB-1302",
                    "This node has no name [safebunny.node, spring.application.name]: neither is set, and "
                            + "its queues and routing keys begin with it.",
                    "Set safebunny.node=billing, or whatever this application is called.");
        }
        if (!Names.isNode(applicationName)) {
            throw new ConfigurationException(
                    "SB-1303",
                    ("The application's name cannot be the node's [spring.application.name=%s]: a node must "
                                    + "match [a-z0-9][a-z0-9_.-]* and have at most 100 characters.")
                            .formatted(Names.printable(applicationName)),
                    "Set safebunny.node=%s.".formatted(suggestion(applicationName)));
        }
        return applicationName;
    }

    private static String suggestion(String applicationName) {
        String name = applicationName
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9_.-]+", "-")
                .replaceAll("^[^a-z0-9]+", "");
        String shortened = name.substring(0, Math.min(name.length(), 100));
        return Names.isNode(shortened) ? shortened : "billing";
    }
}
