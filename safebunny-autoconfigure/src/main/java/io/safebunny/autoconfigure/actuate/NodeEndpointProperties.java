// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param showStates When to show states of sagas, as the bean BodyMasker makes them.
 * @param roles Roles that may see states with when-authorized; empty for every authenticated user.
 */
@ConfigurationProperties("management.endpoint.safebunny")
record NodeEndpointProperties(
        @DefaultValue("never") Show showStates,
        @DefaultValue Set<String> roles) {}
