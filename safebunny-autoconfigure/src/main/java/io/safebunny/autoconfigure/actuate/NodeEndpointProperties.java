// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param showStates When to show states of sagas, as the bean BodyMasker makes them.
 * @param showAudit When to show who did what, with users, reasons and ids.
 * @param roles Roles that may see states and the audit with when-authorized; empty for every authenticated user.
 * @param writeRoles Roles that may change something through the endpoints safebunny and safebunnypoison, where their access is unrestricted; if not set, everybody who reaches them.
 */
@ConfigurationProperties("management.endpoint.safebunny")
record NodeEndpointProperties(
        @DefaultValue("never") Show showStates,
        @DefaultValue("when-authorized") Show showAudit,
        @DefaultValue Set<String> roles,
        @Nullable Set<String> writeRoles) {

    /** Whether this user may see states. */
    boolean showsStates(SecurityContext user) {
        return showStates.isShown(user, roles);
    }

    /** Whether this user may see who did what. */
    boolean showsAudit(SecurityContext user) {
        return showAudit.isShown(user, roles);
    }
}
