// SPDX-License-Identifier: Apache-2.0
/** What one handling publishes until it has succeeded, and the transactions that may take some of it back. */
@NullMarked
package io.safebunny.handling.publications;

import org.jspecify.annotations.NullMarked;
