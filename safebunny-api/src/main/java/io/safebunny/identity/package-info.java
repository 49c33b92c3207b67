// SPDX-License-Identifier: Apache-2.0
/** Message ids: a pure function of a message's ancestry. */
@NullMarked
package io.safebunny.identity;

import org.jspecify.annotations.NullMarked;
