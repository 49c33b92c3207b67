// SPDX-License-Identifier: Apache-2.0
/** Sagas with state: how an application writes, inspects and repairs them. */
@NullMarked
package io.safebunny.saga;

import org.jspecify.annotations.NullMarked;
