// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param showBodies When to show bodies and application headers of poison messages, as the bean BodyMasker makes them.
 * @param roles Roles that may see bodies with when-authorized; empty for every authenticated user.
 * @param decryptRoles Roles that may see bodies that are encrypted in the queue, too, where they may see bodies; without it nobody may.
 */
@ConfigurationProperties("management.endpoint.safebunnypoison")
public record PoisonEndpointProperties(
        @DefaultValue("never") Show showBodies,
        @DefaultValue Set<String> roles,
        @DefaultValue Set<String> decryptRoles) {

    /** Whether this user may see bodies and headers. */
    public boolean showsBodies(SecurityContext user) {
        return showBodies.isShown(user, roles);
    }

    /** Whether this user, who may see bodies, may see those that are encrypted in the queue. */
    public boolean decrypts(SecurityContext user) {
        return !decryptRoles.isEmpty() && Show.WHEN_AUTHORIZED.isShown(user, decryptRoles);
    }
}
