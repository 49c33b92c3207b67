// SPDX-License-Identifier: Apache-2.0
/** What logs and poison messages show of an exception and its causes, even if its own methods throw. */
@NullMarked
package io.safebunny.failure.details;

import org.jspecify.annotations.NullMarked;
