// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.page;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Knows the token with which Spring Security tells requests of the page from those of other sites. Thread-safe. */
@FunctionalInterface
public interface CsrfTokens {

    /** The {@code header} to send and the {@code token} of the request under way; {@code null} if there is none, or nobody asks for it. */
    @Nullable
    Map<String, String> current();
}
