import { oneOf } from '../amounts.ts';
import type { Words } from '../dictionary.ts';

/*
 * Spanish. Buttons are infinitives (`Crear clave`); sentences are impersonal and address nobody.
 *
 *   account    cuenta               mail      correo              recipient     destinatario
 *   allowlist  lista de permitidos  member    miembro             reject        rechazar
 *   API key    clave de API         message   mensaje             send on       reenviar
 *   catch-all  catch-all            operator  operador            settings      ajustes
 *   delivery   entrega              owner     propietario         sign in, out  iniciar sesión, cerrar sesión
 *   inbox      buzón                plan      plan                trap          trap
 *   log        registro             suppression  dirección bloqueada  webhook   webhook
 */
export default {
  units: ['B', 'KB', 'MB', 'GB'],
  unknownSender: 'Remitente desconocido',
  close: 'Cerrar',
  cancel: 'Cancelar',
  done: 'Listo',
  add: 'Añadir',
  remove: 'Quitar',
  removeOne: (what: string) => `Quitar ${what}`,
  delete: 'Eliminar',
  turnOn: 'Activar',
  turnOff: 'Desactivar',
  loadMore: 'Cargar más',
  loading: 'Cargando',
  outOf: (part: string, whole: string) => `${part} de ${whole}`,
  copy: 'Copiar',
  copyOne: (what: string) => `Copiar: ${what}`,
  copied: (what: string) => `Copiado: ${what}`,
  failures: {
    offline: 'El servidor no responde.',
    server: 'Algo ha fallado.',
    page: 'Algo ha fallado en esta página.',
  },
  signedOut: { title: 'Sin sesión iniciada', body: 'La API se puede usar con una clave.' },
  plans: {
    none: 'Ningún plan de este servidor lo incluye.',
    available: (names: readonly string[]) =>
      `Disponible en el plan ${oneOf(names)}. El operador del servidor puede cambiar el plan.`,
  },
  password: {
    password: 'Contraseña',
    current: 'Contraseña actual',
    new: 'Contraseña nueva',
    show: 'Mostrar',
    hide: 'Ocultar',
    showOne: (label: string) => `Mostrar: ${label}`,
    rules: (least: number) => `Al menos ${least} caracteres, y que no sea una contraseña común.`,
  },
  places: {
    usage: 'Plan y uso',
    trap: 'Trap',
    keys: 'Claves de API',
    webhooks: 'Webhooks',
    domains: 'Dominios',
    sending: 'Envío',
    refused: 'Correo rechazado',
    members: 'Miembros',
    'sign-in': 'Perfil',
    health: 'Estado',
    accounts: 'Cuentas',
    'all-refused': 'Todo el correo rechazado',
    log: 'Registro',
    settings: 'Ajustes',
    doctor: 'Diagnóstico',
  },
  shell: {
    skip: 'Ir al contenido',
    sidebar: 'Barra lateral',
    sections: 'Secciones',
    pages: 'Páginas',
    page: 'Página',
    mail: 'Correo',
    trap: 'Trap',
    account: 'Cuenta',
    server: 'Servidor',
    capture: 'captura',
    profile: (email: string) => `${email}: perfil`,
    notify: 'Notificar el correo nuevo',
    notifyOff: 'Desactivar las notificaciones',
    backToMail: 'Volver al correo',
    notFound: 'Página no encontrada',
  },
  themes: { light: 'Tema: claro', dark: 'Tema: oscuro', system: 'Tema: sistema' },
  palette: {
    title: 'Ir a',
    search: 'Buscar buzones, páginas y comandos',
    results: 'Resultados',
    allMail: 'Todo el correo',
    notify: 'Activar o desactivar las notificaciones',
  },
  help: {
    title: 'Atajos de teclado',
    messages: 'Mensajes',
    next: 'Mensaje siguiente',
    previous: 'Mensaje anterior',
    open: 'Abrir el mensaje',
    back: 'Volver a la lista',
    copyCode: 'Copiar el código',
    copyOther: 'Copiar otra cosa',
    addTag: 'Añadir una etiqueta',
    fullPage: 'Página completa',
    foldList: 'Plegar la lista',
    undo: 'Deshacer',
    markRead: 'Marcar como leído o no leído',
    delete: 'Eliminar',
    select: 'Seleccionar',
    general: 'General',
    search: 'Buscar mensajes',
    palette: 'Paleta de comandos',
    theme: 'Cambiar de tema',
    escape: 'Cerrar o quitar la selección',
    filters: 'Filtros de búsqueda',
    from: (name: string) => `El remitente contiene «${name}»`,
    subject: (text: string) => `El asunto contiene «${text}»`,
    unread: 'Mensajes no leídos',
    hasCode: 'Mensajes con un código',
  },
} satisfies Words['frame'];
