import type { Words } from '../dictionary.ts';

export default {
  title: 'Llaves de acceso',
  about:
    'Para iniciar sesión con la huella, la cara o el PIN del dispositivo, sin contraseña. Una llave de acceso cuenta también como segundo factor.',
  add: 'Añadir llave de acceso',
  none: 'Ninguna todavía',
  synced: 'sincronizada',
  added: (time: string) => `Añadida ${time}.`,
  used: (time: string) => `Usada por última vez ${time}.`,
  unused: 'Aún sin usar.',
  otherHost: (host: string) => `Pertenece a ${host} y no funciona en esta dirección.`,
  addTitle: 'Añadir una llave de acceso',
  addBody:
    'El navegador pregunta dónde guardarla: en este dispositivo, en el teléfono o en una llave de seguridad.',
  addedToast: 'Llave de acceso añadida',
  name: 'Nombre',
  nameHint: 'Para distinguir las llaves de acceso.',
  rename: 'Cambiar nombre',
  renameTitle: 'Cambiar el nombre de la llave de acceso',
  renamed: 'Nombre cambiado',
  removeTitle: (name: string) => `¿Quitar ${name}?`,
  removeBody:
    'Ya no servirá para iniciar sesión aquí. Conviene borrarla también del dispositivo o del gestor de contraseñas.',
  removed: 'Llave de acceso quitada',
  confirmByPasskey: 'Para confirmar se pedirá una llave de acceso que ya existe.',
  usePasskeyInstead: 'Confirmar con una llave de acceso',
  usePasswordInstead: 'Confirmar con la contraseña',
  signIn: 'Iniciar sesión con una llave de acceso',
  create: 'Crear una llave de acceso',
  createInstead: 'Crear una llave de acceso en su lugar',
  createAbout: 'Para iniciar sesión con la huella, la cara o el PIN del dispositivo.',
  elseLink: 'Sin llave de acceso hará falta otro enlace para volver a iniciar sesión.',
  places: {
    ip_address:
      'Las llaves de acceso necesitan un nombre de host. La dirección de este servidor es una dirección IP: POSTERN_BASE_URL debe ser una dirección https con nombre.',
    no_https:
      'Las llaves de acceso necesitan https. POSTERN_BASE_URL debe ser la dirección https de este servidor.',
    elsewhere: 'Las llaves de acceso solo funcionan en {address}.',
    old_browser: 'Este navegador no tiene llaves de acceso.',
  },
  problems: {
    not_found:
      'Cancelado, o no se encontró ninguna llave de acceso para esta dirección. Inténtalo de nuevo o inicia sesión de otra forma.',
    cancelled: 'Cancelado, o tardó demasiado. Inténtalo de nuevo.',
    exists: 'Este dispositivo ya tiene una llave de acceso.',
    wrong_address: 'El navegador no ofrece llaves de acceso en esta dirección.',
    unsupported:
      'Este dispositivo no puede guardar una llave de acceso: tiene que pedir una huella, la cara o un PIN.',
    failed: 'No se pudo leer la llave de acceso. Volver a intentarlo.',
  },
} satisfies Words['passkeys'];
