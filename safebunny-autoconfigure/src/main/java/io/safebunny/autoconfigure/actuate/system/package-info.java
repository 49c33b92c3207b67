// SPDX-License-Identifier: Apache-2.0
/** What the endpoints show of other instances, which are asked anew for it. It may be wrong, because nobody proves who answers. */
@NullMarked
package io.safebunny.autoconfigure.actuate.system;

import org.jspecify.annotations.NullMarked;
