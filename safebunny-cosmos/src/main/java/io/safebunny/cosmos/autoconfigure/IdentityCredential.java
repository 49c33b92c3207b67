// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import com.azure.core.credential.TokenCredential;
import com.azure.identity.DefaultAzureCredentialBuilder;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * The environment's identity. A class of its own, so that {@code azure-identity} is loaded only if it is needed: it may be
 * missing.
 */
final class IdentityCredential {

    private IdentityCredential() {}

    static TokenCredential of(@Nullable String managedIdentityClientId) {
        DefaultAzureCredentialBuilder builder = new DefaultAzureCredentialBuilder();
        if (StringUtils.hasText(managedIdentityClientId)) {
            builder.managedIdentityClientId(managedIdentityClientId);
        }
        return builder.build();
    }
}
