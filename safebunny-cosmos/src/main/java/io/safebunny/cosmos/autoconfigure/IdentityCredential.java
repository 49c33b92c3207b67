// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos.autoconfigure;

import com.azure.core.credential.TokenCredential;
import com.azure.identity.DefaultAzureCredentialBuilder;

/** The environment's identity. A class of its own, so that the optional {@code azure-identity} is loaded only when needed. */
final class IdentityCredential {

    private IdentityCredential() {}

    static TokenCredential ofTheEnvironment() {
        return new DefaultAzureCredentialBuilder().build();
    }
}
