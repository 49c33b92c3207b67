// SPDX-License-Identifier: Apache-2.0
/** Who may handle a message: claims, what is stored of it, and what a store's silence or refusal means. */
@NullMarked
package io.safebunny.dedup.claim;

import org.jspecify.annotations.NullMarked;
