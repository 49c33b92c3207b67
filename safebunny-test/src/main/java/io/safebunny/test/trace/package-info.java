// SPDX-License-Identifier: Apache-2.0
/** What happened to messages in a test, and what is still to come, for {@code assertThat}. */
@NullMarked
package io.safebunny.test.trace;

import org.jspecify.annotations.NullMarked;
