// SPDX-License-Identifier: Apache-2.0
/** Sagas with state, as an application writes them, and as it looks at them and repairs them. */
@NullMarked
package io.safebunny.saga;

import org.jspecify.annotations.NullMarked;
